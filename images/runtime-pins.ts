// What the image of bridges has from registries of packages, pinned with digests: to take newer ones, change them here.
export const npmPin = {
  version: "11.6.2",
  integrity: "sha512-7iKzNfy8lWYs3zq4oFPa8EXZz5xt9gQNKJZau3B1ErLBb6bF7sBJ00x09485DOvRT2l5Gerbl3VlZNT57MxJVA==",
} as const;

/** Wheels of every platform that images are made for. */
export const uvPin = {
  version: "0.13.9",
  hashes: [
    "sha256:d7f459fe4fd247d830351c75686d3996ace3c6f3f728eb0e85a30b7ada0cef19",
    "sha256:5435c5ce14a56431208ca0996416d310f1598e8c2c8ba707688985a16bb82dbe",
  ],
} as const;
