// Changes behind the API server's back, straight in etcd through its JSON gateway: what another API server would have
// done while ours was away. Only kinds that are stored as JSON (custom resources) can be edited; any can be removed.

import * as z from "zod";

const encode = (text: string): string => Buffer.from(text).toString("base64");
const rangeSchema = z.object({ kvs: z.array(z.object({ value: z.string() })).length(1) });
const storedSchema = z.looseObject({ metadata: z.looseObject({ generation: z.number() }) });

async function call(etcdUrl: string, operation: string, body: object): Promise<unknown> {
  const response = await fetch(`${etcdUrl}/v3/kv/${operation}`, {
    method: "POST",
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(5_000),
  });
  if (!response.ok) throw new Error(`expected etcd to take ${operation}, found ${await response.text()}`);
  return response.json();
}

/** Removes the object stored under `key`, such as `/registry/services/specs/NAMESPACE/NAME`. */
export async function removeStored(etcdUrl: string, key: string): Promise<void> {
  const { deleted } = z.object({ deleted: z.string() }).parse(await call(etcdUrl, "deleterange", { key: encode(key) }));
  if (deleted !== "1") throw new Error(`expected one object at ${key} in etcd, found ${deleted}`);
}

/** Replaces the spec of the custom resource stored under `key`, and raises its generation as the API server would. */
export async function editStoredSpec(etcdUrl: string, key: string, spec: (before: unknown) => object): Promise<void> {
  const found = rangeSchema.parse(await call(etcdUrl, "range", { key: encode(key) }));
  const text = Buffer.from(found.kvs[0]?.value ?? "", "base64").toString("utf8");
  const before = storedSchema.parse(JSON.parse(text));
  const metadata = { ...before.metadata, generation: before.metadata.generation + 1 };
  const after = { ...before, metadata, spec: spec(before["spec"]) };
  await call(etcdUrl, "put", { key: encode(key), value: encode(JSON.stringify(after)) });
}
