import { describe, expect, test } from "vitest";
import { agentYaml, instanceYaml, readFolder } from "../testing/manifests.ts";
import { renderWithExcerpt } from "./diagnostic.ts";
import { judge } from "./judge.ts";

async function said(
  files: Record<string, string>,
  mode: "cluster" | "local",
  environment: Record<string, string> = {},
) {
  const { folder, ...manifests } = await readFolder(files);
  return judge(manifests, { mode }, environment).diagnostics.map((each) => renderWithExcerpt(each, folder));
}

const keyedInstance = instanceYaml(
  `providers:
  - name: openai
    baseUrl: \${BASE}/v1
    apiKey: { secretKeyRef: { name: keys, key: openai } }
servers:
  - name: argos
    url: http://localhost:1/mcp
    headers: [{ name: Authorization, value: "Bearer \${TOKEN}" }]`,
);
const keyedAgent = agentYaml("a", "model: openai.x\nservers: [{ name: argos }]");
const secret = `apiVersion: v1\nkind: Secret\nmetadata: { name: keys }\nstringData:\n  openai: \${KEY}\n  unused: \${UNUSED}\n`;

describe("CFG-5 a problem is shown with file, line, field, what and cure", () => {
  test("a misspelt key", async () => {
    expect(await said({ "a.yaml": `${instanceYaml()}${agentYaml("a", "instrution: x")}` }, "cluster")).toEqual([
      `a.yaml:14:3: error: PallasAgent default/a: spec.instrution: unknown field "instrution" (did you mean "instruction"?); correct or remove it
  14 |   instrution: x
     |   ^^^^^^^^^^`,
    ]);
  });

  test("a sub-agent or tool server in a document that cannot be read is not said to be missing", async () => {
    const files = {
      "a.yaml": `${instanceYaml()}${agentYaml("a", "agents: [{ name: b }]")}`,
      "b.yaml": `${agentYaml("b")}x: [`,
    };
    expect(await said(files, "cluster")).toEqual([expect.stringMatching(/^b\.yaml:\d+:\d+: error: not valid YAML/)]);
    const using = { ...files, "a.yaml": `${instanceYaml()}${agentYaml("a", "servers: [{ name: b }]")}` };
    expect(await said(using, "cluster")).toHaveLength(1);
    expect(await said({ "a.yaml": files["a.yaml"] }, "cluster")).toEqual([
      expect.stringContaining('error: PallasAgent default/a: spec.agents[0].name: agent "b" does not exist'),
    ]);
  });
});

describe("CFG-6 what a gateway reads", () => {
  const withKey = instanceYaml(`gateway:
  embeddings: { kind: openai, baseUrl: "http://localhost:1/v1", model: m, apiKey: { secretKeyRef: { name: keys, key: openai } } }
`);

  test("is said to be missing where no file has it, and to lack its variable where that is not set", async () => {
    expect(await said({ "a.yaml": withKey }, "local")).toEqual([
      expect.stringContaining('needs key "openai" of Secret "keys", which is in none of these files'),
    ]);
    expect(await said({ "a.yaml": withKey, "s.yaml": secret }, "local")).toEqual([
      expect.stringContaining('Secret "keys": openai is left out, since the variable KEY is not set'),
    ]);
    expect(await said({ "a.yaml": withKey, "s.yaml": secret }, "local", { KEY: "k" })).toEqual([]);
  });
});

describe("CFG-6 placeholders", () => {
  test("are problems in a cluster", async () => {
    const problems = await said({ "a.yaml": keyedInstance + keyedAgent, "s.yaml": secret }, "cluster");
    expect(problems).toEqual([
      expect.stringContaining(
        "spec.providers[0].baseUrl: found the placeholder ${BASE}, which only local mode expands",
      ),
      expect.stringContaining("spec.servers[0].headers[0].value: found the placeholder ${TOKEN}"),
    ]);
  });

  test("are nothing to speak of here when their variables are set", async () => {
    const environment = { BASE: "http://localhost", TOKEN: "t", KEY: "k" };
    expect(await said({ "a.yaml": keyedInstance + keyedAgent, "s.yaml": secret }, "local", environment)).toEqual([]);
  });

  test("CFG-7 of unset variables are warnings at their place, a downstream's header among them", async () => {
    expect(await said({ "a.yaml": keyedInstance + keyedAgent, "s.yaml": secret }, "local")).toEqual([
      expect.stringContaining(
        "a.yaml:9:16: warning: spec.providers[0].baseUrl: the variable BASE is not set, so that openai will not work",
      ),
      expect.stringContaining(
        "a.yaml:14:47: warning: spec.servers[0].headers[0].value: the variable TOKEN is not set, so that argos will not work; set it, or add it to .env",
      ),
      's.yaml:5:11: warning: Secret "keys": openai is left out, since the variable KEY is not set; set it, or add it to .env',
    ]);
  });

  test("of a Secret that an agent reads are noted for a cluster, which keeps them as they stand", async () => {
    const instance = instanceYaml(
      "providers: [{ name: openai, apiKey: { secretKeyRef: { name: keys, key: openai } } }]",
    );
    expect(await said({ "a.yaml": instance + agentYaml("a", "model: openai.x"), "s.yaml": secret }, "cluster")).toEqual(
      [
        's.yaml:5:11: note: Secret "keys": openai holds a placeholder, which only local mode expands; a cluster keeps it as it stands',
      ],
    );
  });
});

test("CLI-1 a Secret or ConfigMap that no manifest provides is a note, once", async () => {
  const agents = ["a", "b"].map((name) =>
    agentYaml(name, "instructionFrom: { configMapKeyRef: { name: p, key: k.md } }"),
  );
  expect(await said({ "a.yaml": instanceYaml() + agents.join("") }, "cluster")).toEqual([
    'a.yaml:9:1: note: PallasAgent default/a needs key "k.md" of ConfigMap "p", which is in none of these files; add it, or create it in the cluster',
  ]);
});

describe("DSC-6 tool servers in files", () => {
  const serverYaml = (spec: string) =>
    `apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasServer\nmetadata: { name: memory }\nspec:\n  instanceRef: { name: i }\n${spec.replaceAll(/^/gm, "  ")}\n---\n`;
  const memory = serverYaml(
    `package: { kind: npm, name: server-memory }
env:
  - { name: MODE, value: "\${MODE}" }
  - { name: TOKEN, valueFrom: { secretKeyRef: { name: memory-keys, key: token } } }`,
  );

  test("are advised of, and what they read and no manifest provides is noted", async () => {
    expect(await said({ "a.yaml": instanceYaml() + memory }, "local", { MODE: "rw" })).toEqual([
      expect.stringContaining("warning: PallasServer default/memory: spec.package.version: is not set"),
      expect.stringContaining('note: PallasServer default/memory needs key "token" of Secret "memory-keys"'),
    ]);
  });

  test("CFG-6 have placeholders as instances have them", async () => {
    expect(await said({ "a.yaml": instanceYaml() + memory }, "cluster")).toEqual([
      expect.stringContaining("spec.env[0].value: found the placeholder ${MODE}, which only local mode expands"),
    ]);
    expect((await said({ "a.yaml": instanceYaml() + memory }, "local"))[1]).toContain(
      "spec.env[0].value: the variable MODE is not set, so that memory will not work",
    );
  });
});
