import { describeKnownAnswers } from "./known-answers.ts";

describeKnownAnswers();
