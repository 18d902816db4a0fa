// Words that say nothing about which tool is meant: English function words, what is left of contractions, and the
// politeness of requests.
const stopWords = new Set(
  `a about above after again against all also am an and any are as at be because been before being below between both
  but by can cannot could did do does doing down during each few for from further had has have having he her here hers
  him his how i if in into is it its itself just me more most my myself no nor not now of off on once only or other our
  ours out over own same she should so some such than that the their theirs them then there these they this those
  through to too under until up very was we were what when where which while who whom why will with would you your
  yours yourself s t d m ll ve re don isn doesn didn won
  please want wants wanted need needs needed like help let lets tell know additionally furthermore moreover i'm able
  using use used via e g etc hi hello thanks thank`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** Whether a lower-case word says nothing about which tool is meant. */
export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}
