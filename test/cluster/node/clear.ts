// Command line: `clear.ts PID` clears the machine after the node cluster that process PID had. Run by the watchdog of that
// process when it has died; does nothing when somebody else has cleared already.

import { isAlive, observeClaim, releaseMachine } from "./machine-claim.ts";

const owner = Number(process.argv[2]);
const claim = await observeClaim();
if (claim !== undefined && claim.owner.pid === owner && !isAlive(claim.owner)) await releaseMachine(claim);
