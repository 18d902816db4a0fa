import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EnvironmentError, readEnvironment } from "./environment.ts";

const schema = z.object({
  PORT: z.coerce.number().int().min(1).max(65_535).describe("port of /mcp").default(8080),
  MODE: z.enum(["agent", "registry"]),
  API_KEY: z.string().min(10).optional(),
  STATE: z.string().max(3).meta({ secret: true }).optional(),
});

function problemOf(env: Record<string, string | undefined>): EnvironmentError {
  try {
    readEnvironment(schema, env);
  } catch (error) {
    if (error instanceof EnvironmentError) return error;
  }
  throw new Error("expected an EnvironmentError");
}

describe("readEnvironment", () => {
  it("gives typed values and defaults, ignores other variables, and takes an empty one as unset", () => {
    expect(readEnvironment(schema, { MODE: "agent", PORT: "", HOME: "/root" })).toEqual({ MODE: "agent", PORT: 8080 });
    expect(readEnvironment(schema, { MODE: "registry", PORT: "24200" }).PORT).toBe(24_200);
  });

  it("reports all faulty variables in one error, with what was found and the cure", () => {
    const error = problemOf({ PORT: "65536" });
    expect(error.variables).toEqual(["PORT", "MODE"]);
    expect(error.message).toMatch(/^2 environment variables are not valid:\n/);
    expect(error.message).toMatch(/PORT is "65536": .*65535; correct or unset it \(port of \/mcp\)/);
    expect(error.message).toMatch(/MODE is not set: set it/);
  });

  it("says which values an enumeration takes", () => {
    expect(problemOf({ MODE: "robot" }).message).toMatch(/MODE is "robot": .*"agent"\|"registry"; correct it/);
  });

  it("never shows the value of a secret, by name or by mark", () => {
    const error = problemOf({ MODE: "agent", API_KEY: "s3cret", STATE: "s3cret" });
    expect(error.variables).toEqual(["API_KEY", "STATE"]);
    expect(error.message).toContain("is set (value hidden)");
    expect(error.message + String(error.cause)).not.toContain("s3cret");
  });

  it("names a rule over several variables", () => {
    const ruled = z
      .object({ A: z.string(), B: z.string() })
      .refine(({ A, B }) => A !== B, { message: "A and B must differ" });
    expect(() => readEnvironment(ruled, { A: "1", B: "1" })).toThrow(/environment: A and B must differ/);
  });
});
