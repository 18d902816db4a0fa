// The tool servers that are tried in pods: packages, and one in an image of its own.
import { renderTriedPackages, type TriedServer } from "../packages/tried-servers.ts";
import { goServerImage } from "./images/build.ts";

export const triedServers: readonly TriedServer[] = [
  ...renderTriedPackages("/var/lib/pallas/work"),
  {
    // An image that holds one program of Go and nothing else, so no shell either.
    name: "go-memory",
    spec: { container: { image: goServerImage, command: ["/memory"] } },
    call: { tool: "read_graph", arguments: {}, says: /entities/ },
  },
];
