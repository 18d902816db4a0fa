import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sampleInstance } from "../../plan/testing/resources.ts";
import { temporaryFolder } from "../testing/manifests.ts";
import { urlHost } from "./addresses.ts";
import { describeExposure, openCallerToken } from "./caller-token.ts";
import { renderRegistrySettings } from "./programs.ts";
import { openStateFolder } from "./state-folder.ts";

const declared = sampleInstance({ externalUrl: { host: "puck.incus" }, http: { allowedHosts: ["other.example"] } });

describe("CLI-1 serving other machines", () => {
  test("a token is made once, kept for this user only, and shown only when it is made", async () => {
    const folder = await openStateFolder(join(await temporaryFolder(), "state"));
    const first = await openCallerToken(folder, { host: "0.0.0.0", isOpen: false });
    expect(first).toEqual({ file: join(folder.path, "token"), made: expect.stringMatching(/^[\w-]{43}$/) });
    expect((await stat(first?.file ?? "")).mode & 0o777).toBe(0o600);
    expect(await readFile(first?.file ?? "", "utf8")).toBe(first?.made);
    expect(await openCallerToken(folder, { host: "192.0.2.1", isOpen: false })).toEqual({ file: first?.file });
  });

  test.each(["127.0.0.1", "127.9.9.9", "localhost", "::1"])(
    "none is needed where only %s is listened on",
    async (host) => {
      const folder = await openStateFolder(join(await temporaryFolder(), "state"));
      expect(await openCallerToken(folder, { host, isOpen: false })).toBeUndefined();
      expect(describeExposure({ host, instances: [declared], token: undefined })).toEqual([]);
    },
  );

  test.each(["127.example.com", "0.0.0.0", "::", "192.0.2.1"])("one is needed where %s is", async (host) => {
    const folder = await openStateFolder(join(await temporaryFolder(), "state"));
    expect(await openCallerToken(folder, { host, isOpen: false })).toHaveProperty("made");
  });

  test.each([
    ["0.0.0.0", "localhost", "every address of this machine"],
    ["::", "localhost", "every address of this machine"],
    ["2001:db8::1", "[2001:db8::1]", "2001:db8::1"],
  ])("%s is %s in URLs of this machine, and %s to people", (host, inUrls, shown) => {
    expect(urlHost(host)).toBe(inUrls);
    const [line] = describeExposure({ host, instances: [declared], token: undefined });
    expect(line).toContain(`listening on ${shown}: `);
  });

  test("one line says who can call now and which Host is refused", () => {
    const lines = describeExposure({
      host: "0.0.0.0",
      instances: [declared],
      token: { file: "/s/token", made: "abc" },
    });
    expect(lines).toEqual([
      "listening on every address of this machine: anyone who reaches it can read the catalogue and with a token call agents, under the names localhost, puck.incus, other.example; any other Host gets 403 (spec.externalUrl.host or spec.http.allowedHosts of the instance adds one)",
      "callers from other machines send Authorization: Bearer with the token in /s/token, shown this once: abc",
    ]);
    const [open] = describeExposure({ host: "192.0.2.1", instances: [declared], token: undefined });
    expect(open).toMatch(
      /^listening on 192\.0\.2\.1: .* call agents, without a token, under the names .*, 192\.0\.2\.1;/,
    );
  });

  test("the registry takes the declared hosts of its instances, as the agents do", () => {
    const hosts = (host: string) => renderRegistrySettings([declared], host)["PALLAS_ALLOWED_HOSTS"];
    expect(hosts("127.0.0.1")).toBe("puck.incus,other.example");
    expect(hosts("0.0.0.0")).toBe("puck.incus,other.example");
    expect(hosts("192.0.2.1")).toBe("puck.incus,other.example,192.0.2.1");
  });
});
