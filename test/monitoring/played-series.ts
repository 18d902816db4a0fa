// An exporter of made-up series: quiet, or past the limits of the alerts that it plays.
import { createServer } from "node:http";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import type { AlertCase, CaseSeries } from "./alert-cases.ts";

export interface PlayedSeries extends AsyncDisposable {
  readonly url: string;
  isBad: boolean;
}

/** Counters grow with each scrape while it is bad, and stand still while it is quiet. */
export async function playSeries(cases: readonly AlertCase[]): Promise<PlayedSeries> {
  const totals = new Map<string, number>();
  const valueOf = ({ series, quiet, bad, isCounter }: CaseSeries, isBad: boolean): number | undefined => {
    if (isCounter !== true) return isBad ? bad : quiet;
    const total = (totals.get(series) ?? 0) + (isBad ? (bad ?? 0) : 0);
    totals.set(series, total);
    return total;
  };
  const played = { isBad: false };
  const server = createServer((_, response) => {
    const lines = cases.flatMap(({ series }) =>
      series.flatMap((own) => {
        const value = valueOf(own, played.isBad);
        return value === undefined ? [] : [`${own.series} ${value}\n`];
      }),
    );
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4" }).end(lines.join(""));
  });
  const port = await findFreePorts();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return Object.assign(played, {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
