// Something that a person makes the gateway do: one at a time, with what it is doing now and why it failed. A component that went hears
// nothing more of it.
import { useEffect, useRef, useState } from "preact/hooks";
import { toProblem, type Problem } from "../connect/problem.ts";

export interface Action<Name extends string> {
  /** What is being done now. */
  readonly working: Name | undefined;
  /** Of the last one. */
  readonly problem: Problem | undefined;
  run(name: Name, act: () => Promise<void>): void;
}

export function useAction<Name extends string>(): Action<Name> {
  const [working, setWorking] = useState<Name | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return {
    working,
    problem,
    run(name, act) {
      if (working !== undefined) return;
      setWorking(name);
      setProblem(undefined);
      const end = (found: Problem | undefined) => {
        if (!isHere.current) return;
        setWorking(undefined);
        setProblem(found);
      };
      act().then(
        () => end(undefined),
        (error: unknown) => end(toProblem(error)),
      );
    },
  };
}
