// What the model says in the scene that the documentation shows.
import type { ScriptedConversations } from "../../models/script.ts";

const transfer = {
  amount: 1240,
  iban: "DE91100000000123456789",
  recipient: "Nordwind Logistik GmbH",
  reference: "Invoice 2188",
};
const sql = "select customer, sum(total)\nfrom orders\nwhere placed_at >= date '2026-10-01'\ngroup by customer";

/** The messages that bring it about. */
export const messages = {
  earlier: "Please pay invoice 2188 of Nordwind Logistik.",
  invoice: "Is invoice 2291 of Nordwind Logistik in order, and what does it come to?",
  pay: "Thank you. Please pay it.",
  query: "Who ordered most since October?",
  hello: "Good morning",
} as const;

export const conversations: ScriptedConversations["conversations"] = [
  {
    match: messages.earlier,
    replies: [{ toolCalls: [{ name: "payments__create_transfer", arguments: transfer }] }, { text: "It is paid." }],
  },
  {
    match: messages.invoice,
    replies: [
      {
        toolCalls: [
          { name: "payments__read_invoice", arguments: { id: "2291" } },
          { name: "payments__list_recipients", arguments: { name: "Nordwind Logistik" } },
        ],
      },
      {
        usage: { input: 1_980, output: 104 },
        text:
          "Yes. It is for the freight of October, and due on 24 November:\n\n" +
          "| Net | VAT 19 % | Total |\n|---|---|---|\n| 1,546.22 | 293.78 | **1,840.00** |\n\n" +
          "Nordwind changed its bank details on 12 November, and the invoice already names the new account.",
      },
      {
        usage: { input: 2_140, output: 88 },
        toolCalls: [
          {
            name: "payments__create_transfer",
            arguments: { ...transfer, amount: 1840, iban: "DE02120300000000202051", reference: "Invoice 2291" },
          },
        ],
      },
      { text: "It is paid." },
    ],
  },
  {
    match: messages.query,
    replies: [{ toolCalls: [{ name: "warehouse__run_query", arguments: { sql } }] }, { text: "Nordwind." }],
  },
  { replies: [{ text: "Good morning. What can I do for you?" }], repeat: true },
];
