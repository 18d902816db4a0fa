// What people and policies call who an issuer named. Pure.

/** The subject; what begins as names of other origin do is told apart from them. */
export function nameSubject(subject: string): string {
  const isTaken = subject === "anonymous" || /^(?:system|agent|token|oidc):/.test(subject);
  return isTaken ? `oidc:${subject}` : subject;
}
