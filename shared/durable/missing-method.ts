/**
 * Returns whether an object lacks the method that was called, because it runs the code of an earlier build during a
 * roll-out. The call has done nothing then. An object that misses a method of another object throws the same text with
 * another name, and may have done something before.
 */
export function isMissingMethod(error: unknown, method: string): boolean {
  if (!(error instanceof TypeError)) return false;
  const quoted = JSON.stringify(method);
  // The second text is the one of the Workers test runner.
  return [`does not implement the method ${quoted}`, `does not implement ${quoted}`].some((text) =>
    error.message.includes(text),
  );
}
