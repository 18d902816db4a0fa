// How somebody is asked for a token: the WWW-Authenticate header of RFC 6750, with the place of RFC 9728 metadata where there is
// one. Nothing of a token goes into it.

export interface Challenge {
  /** Absent where no token was sent. */
  error?: "invalid_token" | "invalid_request" | undefined;
  /** What is wrong with what was sent; shown beside `error` only. */
  why?: string;
  /** Where the protected resource's metadata is. */
  metadataUrl?: string | undefined;
}

export function renderChallenge({ error, why, metadataUrl }: Challenge): string {
  const parts = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(error === undefined || why === undefined ? [] : [`error_description="${why.replaceAll('"', "'")}"`]),
    ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
  ];
  return parts.length === 0 ? "Bearer" : `Bearer ${parts.join(", ")}`;
}
