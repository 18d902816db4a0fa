// What is wrong with the rules of a policy, and what follows from it.
import { Icon } from "../../parts/icon.tsx";
import { fill } from "../../words/fill.ts";
import { policyWords as words } from "../../words/policies.ts";

export function PolicyFault({ fault, faulty }: { fault: string | undefined; faulty: string | undefined }) {
  if (fault !== undefined) {
    return (
      <p class="problem policies-fault bad">
        <Icon name="error" /> {fill(words.fault, { fault })}
      </p>
    );
  }
  if (faulty === undefined) return null;
  return (
    <p class="policies-faulty warn">
      <Icon name="degraded" /> {fill(words.faulty, { fault: faulty })}
    </p>
  );
}
