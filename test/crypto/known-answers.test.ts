import { expect, test } from "vitest";
import { vectors } from "../support/custody.ts";
import { describeKnownAnswers } from "./known-answers.ts";
import { makeVectors } from "./make-vectors.ts";

test("the known answers are those of an independent implementation", () => {
  expect(makeVectors()).toEqual(vectors);
});

describeKnownAnswers();
