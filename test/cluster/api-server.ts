// A real etcd and kube-apiserver (and, when asked, kube-controller-manager) for one test or one test run, on free
// loopback ports, with RBAC on and everything it writes in one folder. There is no node: pods are never scheduled.

import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { callApi } from "./api-call.ts";
import type { ApiAccess } from "./api-call.ts";
import { findBinaries } from "./binaries.ts";
import type { ClusterBinaries } from "./binaries.ts";
import { createComponents, isPortTaken } from "./components.ts";
import { installCrds } from "./install-crds.ts";
import { createKubectl } from "./kubectl.ts";
import type { KubectlSetup } from "./kubectl.ts";
import { createProcessGroup } from "./process-group.ts";
import type { ProcessGroup } from "./process-group.ts";
import {
  renderApiServerArguments,
  renderControllerManagerArguments,
  renderEtcdArguments,
  writeServerFiles,
} from "./server-files.ts";
import type { ServerFiles } from "./server-files.ts";

type Component = "etcd" | "kube-apiserver" | "kube-controller-manager";

export interface ApiServerOptions {
  /** Runs kube-controller-manager too: garbage collection, Deployments, namespaces, service accounts. Default false. */
  readonly controllers?: boolean;
  /** CRD files, applied and served before the controllers start: these look for new kinds only every 30 s. */
  readonly crdPaths?: readonly string[];
  /** Holds all files and is kept at the end. Must be new or empty. Default: a temporary folder that is removed. */
  readonly dir?: string;
  /** Holds the log of what ServiceAccounts do, beyond the server's end; must exist. Default: the server's own folder. */
  readonly auditDir?: string;
  /** Default: what `findBinaries` finds. */
  readonly binaries?: ClusterBinaries;
}

export interface ApiServer extends ApiAccess, AsyncDisposable {
  readonly kubectlSetup: KubectlSetup;
  readonly auditLogPath: string;
  /** http://127.0.0.1:port of etcd, for what happens behind the API server's back. */
  readonly etcdUrl: string;
  /** The process ids of what runs now. */
  pids(): ReadonlyMap<Component, number>;
  /** Ends a component (SIGTERM, SIGKILL a second later), starts it with the same ports and data, and waits until all works. */
  restart(component?: Component): Promise<void>;
  /** Ends a component as a crash would (SIGKILL) and leaves it so; `restart` brings it back. */
  kill9(component?: Component): Promise<void>;
  /** Ends everything at once and removes the temporary folder. */
  stop(): Promise<void>;
}

const readyTimeoutMs = 60_000;
const pollMs = 50;
const startAttempts = 3;
const restartGraceMs = 1_000; // with watches open kube-apiserver takes up to a minute to end by itself

/**
 * Starts a server and resolves when it is ready (2 to 4 s). Rejects with the end of the log of the program that failed;
 * a port that another process took meanwhile is tried again twice with other ports.
 */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const binaries = options.binaries ?? (await requireBinaries());
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(binaries, options);
    } catch (error) {
      if (!isPortTaken(error) || attempt === startAttempts) throw error;
    }
  }
}

async function requireBinaries(): Promise<ClusterBinaries> {
  const found = await findBinaries();
  if ("missing" in found) throw new Error(found.missing);
  return found;
}

async function startOnce(binaries: ClusterBinaries, options: ApiServerOptions): Promise<ApiServer> {
  const dir = options.dir === undefined ? mkdtempSync(join(tmpdir(), "pallas-api-")) : resolve(options.dir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const group = createProcessGroup({ dir, removeDir: options.dir === undefined });
  try {
    const first = await findFreePorts(2);
    const ports = { api: first, etcd: first + 1 };
    const files = await writeServerFiles({ dir, ports, ...(options.auditDir && { auditDir: options.auditDir }) });
    const components = createServerComponents(binaries, files, group);
    components.start("etcd");
    components.start("kube-apiserver");
    await components.ready();

    const kubectlSetup = {
      kubectlPath: binaries.kubectl,
      kubeconfigPath: files.kubeconfigPath,
      cacheDir: join(dir, "kubectl-cache"),
    };
    const kubectl = createKubectl(kubectlSetup);
    await installCrds({ ...files, kubectl }, options.crdPaths ?? []);
    if (options.controllers === true) {
      components.start("kube-controller-manager");
      await components.ready();
    }

    const { url, kubeconfigPath, caPath, token, auditLogPath } = files;
    const stop = (): Promise<void> => group.close();
    return {
      url,
      kubeconfigPath,
      caPath,
      token,
      kubectl,
      kubectlSetup,
      auditLogPath,
      etcdUrl: `http://127.0.0.1:${files.ports.etcd}`,
      pids: components.pids,
      restart: components.restart,
      kill9: components.kill9,
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await group.close();
    throw error;
  }
}

interface ServerComponents extends Pick<ApiServer, "pids" | "restart" | "kill9"> {
  start(component: Component): void;
  /** Resolves when the API server answers and, with controllers, the default service account is there. */
  ready(): Promise<void>;
}

function createServerComponents(binaries: ClusterBinaries, files: ServerFiles, group: ProcessGroup): ServerComponents {
  const components = createComponents<Component>(group, (component) => renderCommand(component, binaries, files));

  const ready = async (): Promise<void> => {
    const paths = ["/readyz"];
    if (components.pids().has("kube-controller-manager")) {
      paths.push("/api/v1/namespaces/default/serviceaccounts/default");
    }
    const deadline = Date.now() + readyTimeoutMs;
    for (const path of paths) {
      while (!(await answers(files, path))) {
        await components.failOnEnd();
        if (Date.now() > deadline) {
          const tail = await group.readLogTail("kube-apiserver");
          throw new Error(
            `expected 200 from ${files.url}${path} in ${readyTimeoutMs} ms; the end of its log:\n${tail}`,
          );
        }
        await delay(pollMs);
      }
    }
    await components.failOnEnd();
  };

  return {
    start: components.start,
    pids: components.pids,
    ready,
    kill9: (component = "kube-apiserver") => components.kill9(component),
    async restart(component = "kube-apiserver") {
      await components.restart(component, restartGraceMs);
      await ready();
    },
  };
}

async function answers(access: ServerFiles, path: string): Promise<boolean> {
  const status = await callApi(access, { path, timeoutMs: 2_000 }).then(
    (answer) => answer.status,
    () => 0, // not listening yet; the deadline and the process's end are watched by the caller
  );
  return status === 200;
}

function renderCommand(component: Component, binaries: ClusterBinaries, files: ServerFiles): [string, string[]] {
  switch (component) {
    case "etcd":
      return [binaries.etcd, renderEtcdArguments(files)];
    case "kube-apiserver":
      return [binaries.kubeApiserver, renderApiServerArguments(files)];
    case "kube-controller-manager":
      if (binaries.kubeControllerManager === undefined) {
        throw new Error(
          `expected kube-controller-manager beside ${binaries.kubeApiserver}; add it or unset KUBEBUILDER_ASSETS`,
        );
      }
      return [binaries.kubeControllerManager, renderControllerManagerArguments(files)];
  }
}
