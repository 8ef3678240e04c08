/** The time of this machine. */
export interface Clock {
  nowMs(): number;
  sleep(ms: number): Promise<void>;
}
