import { describe, expect, it } from "vitest";
import { issuerProblems } from "./accept-issuer.ts";
import { sampleInstance } from "./testing/resources.ts";

const places = (jwt: object) =>
  issuerProblems(sampleInstance({ auth: { jwt: { audiences: ["pallas"], ...jwt } } })).map(({ path }) => path);

describe("AGT-11 keys of callers' tokens", () => {
  it.each([
    "http://id.example.com",
    "http://keycloak.auth", // A Service's short name, or a host outside.
    "http://id.svc.example.com",
    "http://10.0.0.7/realms/a",
    "http://[2001:db8::1]/",
    "http://127.0.0.1.example.com/",
  ])("come not over plain HTTP from %s", (url) => {
    expect(places({ issuer: url })).toEqual(["spec.auth.jwt.issuer"]);
    expect(places({ issuer: "https://id.example.com", jwksUrl: url })).toEqual(["spec.auth.jwt.jwksUrl"]);
  });

  it.each([
    "https://id.example.com",
    "http://keycloak",
    "http://keycloak.auth.svc:8080/realms/a",
    "http://keycloak.auth.svc.cluster.local",
    "http://localhost:8080",
    "http://127.0.0.1:8080",
    "http://[::1]:8080",
  ])("may come from %s", (url) => {
    expect(places({ issuer: url })).toEqual([]);
    expect(places({ issuer: "https://id.example.com", jwksUrl: url })).toEqual([]);
  });

  it("are no matter of the issuer's URL where they have one of their own", () => {
    expect(places({ issuer: "http://id.example.com", jwksUrl: "https://id.example.com/keys" })).toEqual([]);
  });

  it("and the message says what to use", () => {
    const [problem] = issuerProblems(
      sampleInstance({ auth: { jwt: { issuer: "http://id.example.com", audiences: ["a"], jwksUrl: "" } } }),
    );
    expect(problem?.message).toBe(
      'found "http://id.example.com": over plain HTTP anybody on the way could replace the keys by which tokens are checked; use https://, or a Service of the cluster by its name with .svc',
    );
  });
});
