// What a browser lets the dashboard do (UI-1): load its own files, talk to its own gateway and to the issuer that people sign in
// with, and nothing else. No script or markup that came as text is run, nobody may frame the page, and no other page gets its window.

interface PageAddress {
  /** As the browser knows the gateway: `https://team.example.com`. */
  origin: string;
  /** Where people sign in; undefined where nobody is configured. */
  issuer?: string | undefined;
  reportPath: string;
}

const reportGroup = "ui";
const isOverTls = (origin: string): boolean => origin.startsWith("https:");

function renderPolicy({ origin, issuer, reportPath }: PageAddress): string {
  const { host } = new URL(origin);
  // Older browsers do not take 'self' for WebSockets.
  const socket = `${isOverTls(origin) ? "wss" : "ws"}://${host}`;
  const connects = ["'self'", socket, ...(issuer === undefined ? [] : [new URL(issuer).origin])];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'none'",
    `connect-src ${connects.join(" ")}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    `report-uri ${reportPath}`,
    // A browser that knows it passes over report-uri, and reports over TLS only.
    ...(isOverTls(origin) ? [`report-to ${reportGroup}`] : []),
  ].join("; ");
}

const unusedFeatures = [
  "accelerometer",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "usb",
];

/** Of every answer below /ui. */
export const renderPageHeaders = (address: PageAddress): Readonly<Record<string, string>> => ({
  "Content-Security-Policy": renderPolicy(address),
  ...(isOverTls(address.origin) && { "Reporting-Endpoints": `${reportGroup}="${address.reportPath}"` }),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Permissions-Policy": unusedFeatures.map((name) => `${name}=()`).join(", "),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
});
