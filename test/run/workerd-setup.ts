import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import { startFromNothing } from "./called-objects.ts";

// Files share one isolate and one storage (starting a runtime per file costs seconds): each test starts from nothing.
beforeEach(startFromNothing);

// An alarm may log after the last test of a file. Vitest fails a run if such a line is on its way when a worker ends.
afterAll(() => void vi.spyOn(console, "log").mockImplementation(() => {}));
beforeAll(() => vi.spyOn(console, "log").mockRestore());
