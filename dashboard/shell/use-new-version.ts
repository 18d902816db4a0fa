// Whether the gateway serves another build of the page than the one that is open: asked once after each time that the connection came back,
// since that is when a gateway was replaced.
import { useEffect, useRef, useState } from "preact/hooks";
import { usePage } from "../page.ts";
import { configSchema } from "../session/config.ts";

const timeoutMs = 10_000;

export function useNewVersion(): boolean {
  const { connection, config, fetch } = usePage();
  const [isNew, setNew] = useState(false);
  const wasLost = useRef(false);
  const { kind } = connection.state.value;
  useEffect(() => {
    if (kind === "lost") wasLost.current = true;
    if (kind !== "live" || !wasLost.current) return undefined;
    wasLost.current = false;
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(timeoutMs)]);
    fetch("/ui/config.json", { signal, cache: "no-store" })
      .then(async (response) => setNew(configSchema.parse(await response.json()).build !== config.build))
      // It is asked again after the next time.
      .catch(() => undefined);
    return () => abort.abort();
  }, [kind, config, fetch]);
  return isNew;
}
