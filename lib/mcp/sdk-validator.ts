// The validator of schemas that every server and client of an SDK is given in place of its own, which would be built at once,
// makes code of schemas and runs their regular expressions. None is ever asked: we send questions to callers and results of
// tools past the SDKs' checks, and check them in schema-check.ts. build.ts keeps the SDKs' own out of the programs.

const refusal = { valid: false, data: undefined, errorMessage: "no schema is checked here" } as const;

export const unusedValidator = { getValidator: () => () => refusal };
