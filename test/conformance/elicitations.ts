// The forms that the suite's tools ask for, as its scenarios prescribe them (SEP-1034 defaults, SEP-1330 enumerations).
import type { ElicitRequestFormParams } from "@modelcontextprotocol/sdk/types.js";

export type Form = Pick<ElicitRequestFormParams, "message" | "requestedSchema">;

export const askUser = (message: string): Form => ({
  message,
  requestedSchema: {
    type: "object",
    properties: {
      username: { type: "string", description: "User's response" },
      email: { type: "string", description: "User's email address" },
    },
    required: ["username", "email"],
  },
});

export const defaultsForm: Form = {
  message: "Please review the values",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    },
    required: [],
  },
};

const titled = (word: string) =>
  ["First", "Second", "Third"].map((nth, at) => ({ const: `value${at + 1}`, title: `${nth} ${word}` }));
const options = ["option1", "option2", "option3"];

export const enumsForm: Form = {
  message: "Please choose",
  requestedSchema: {
    type: "object",
    properties: {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titled("Option") },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
    },
    required: [],
  },
};
