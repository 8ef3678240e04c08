import { expect, test } from "vitest";
import { describeKnownAnswers } from "./known-answers.ts";
import { makeVectors } from "./make-vectors.ts";
import { vectors } from "./support.ts";

test("the known answers are those of an independent implementation", () => {
  expect(makeVectors()).toEqual(vectors);
});

describeKnownAnswers();
