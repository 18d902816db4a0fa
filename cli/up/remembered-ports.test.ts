import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentYaml, instanceYaml, temporaryFolder, writeFolder } from "../testing/manifests.ts";
import { loadManifests } from "./load.ts";
import { readPorts, writePorts } from "./remembered-ports.ts";
import { openStateFolder } from "./state-folder.ts";

test("CLI-1 an agent has the same port in the next run, whoever came before it in the meantime", async () => {
  const state = await openStateFolder(await temporaryFolder());
  const folder = await writeFolder({ "a.yaml": instanceYaml() + agentYaml("m") });
  const load = (registryPort = 24_200) =>
    loadManifests(
      {
        ...{ paths: [folder], only: [], registryPort, host: "127.0.0.1", trusts: false },
        env: { PALLAS_STATE_DIR: state.path },
        isFree: async () => true,
      },
      undefined,
    );
  const { desired } = await load();
  expect(desired.ports).toEqual(new Map([["default/m", 24_201]]));
  await writePorts(state, 24_200, { ports: desired.ports, servers: new Map([["server/default/s", 24_411]]) });
  expect((await readPorts(state.path, 24_200)).servers).toEqual(new Map([["server/default/s", 24_411]]));
  await writeFile(join(folder, "b.yaml"), agentYaml("a"));
  expect((await load()).desired.ports).toEqual(
    new Map([
      ["default/m", 24_201],
      ["default/a", 24_202],
    ]),
  );
  // Elsewhere they follow the registry's again.
  expect((await load(25_000)).desired.ports).toEqual(
    new Map([
      ["default/a", 25_001],
      ["default/m", 25_002],
    ]),
  );
});

test("CLI-1 a file that is not ours is passed over", async () => {
  const folder = await temporaryFolder();
  for (const text of ["", "[]", '{"registryPort":1,"ports":{"a":99999}}']) {
    await writeFile(join(folder, "ports.json"), text);
    expect(await readPorts(folder, 1)).toEqual({ ports: new Map(), servers: new Map() });
  }
});
