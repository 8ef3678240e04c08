/**
 * Returns whether an object has no such method, because it runs the code of an earlier build during a roll-out. The call
 * has done nothing then.
 */
export function isMissingMethod(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes("does not implement the method");
}
