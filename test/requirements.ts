// Every id of the contract, what it promises in one sentence, and the test files that show it, or the word "open". Read
// `missing` and "open" for what is still to be done; requirements.test.ts keeps the list true.
import { configurationRequirements } from "./requirements/configuration.ts";
import { interfaceRequirements } from "./requirements/interface.ts";
import { laterRequirements } from "./requirements/later.ts";
import { operationRequirements } from "./requirements/operation.ts";
import type { Requirements } from "./requirements/requirement.ts";

export const requirements: Requirements = {
  ...interfaceRequirements,
  ...configurationRequirements,
  ...operationRequirements,
  ...laterRequirements,
};
