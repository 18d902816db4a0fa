// What a new folder begins with: one instance, one agent, and where the key of a real model goes. It runs as it is, without a
// key; what is commented out is as sound as the rest.

const instance = `# What the agents of this folder share: their registry, the model, the tools. docs/reference.md has every field.
apiVersion: pallas.helu.ca/v1alpha1
kind: PallasInstance
metadata:
  name: home
spec:
  # In front of every agent's name in the catalogue: a domain of yours, reversed.
  registryNamespace: com.example.home

  # "passthrough" is not a model: it repeats what it reads, so that everything runs before there is a key.
  # For OpenAI, replace this line by the three below it, and write the key into a file .env (see .env.example).
  defaultModel: passthrough
  # defaultModel: openai.gpt-5-mini
  # providers:
  #   - { name: openai, apiKey: { secretKeyRef: { name: llm-keys, key: openai } } }

  # Or for a model on this machine, which needs no key (here Ollama; docs/models.md has others):
  # defaultModel: ollama.qwen3:8b
  # providers:
  #   - { name: ollama, kind: openai-compatible, baseUrl: http://localhost:11434/v1 }

  # MCP servers that speak Streamable HTTP. An agent uses those that it names.
  # servers:
  #   - { name: toolbox, url: http://localhost:24290/mcp }
`;

const agent = `# One agent: an MCP server of its own. Add others as further files, or in this one after a line with ---.
apiVersion: pallas.helu.ca/v1alpha1
kind: PallasAgent
metadata:
  name: assistant
spec:
  instanceRef: { name: home }
  description: Answers questions
  instruction: |
    You are a helpful assistant. Answer in few words, and say so when you do not know.

  # Tools of servers that the instance lists:
  # servers: [{ name: toolbox }]
`;

const secret = `# For \`pallas up\` only, which fills \${…} in from the environment or from .env; not to be applied to a cluster, where it is
# kubectl create secret generic llm-keys --from-literal=openai=…
apiVersion: v1
kind: Secret
metadata: { name: llm-keys }
stringData: { openai: "\${OPENAI_API_KEY}" }
`;

const variables = `# Copy this file to .env and fill in what is used. Variables that are set already win. Keep .env out of version control.
OPENAI_API_KEY=
`;

export const newFiles: ReadonlyMap<string, string> = new Map([
  ["instance.yaml", instance],
  ["assistant.yaml", agent],
  ["local-secret.yaml", secret],
  [".env.example", variables],
]);
