/** A process in which something goes wrong that nobody catches; `faults.test.ts` runs it. */
import { createLogger } from '../../src/platform/logger.ts';
import { onUncaught } from '../../src/process/faults.ts';
import { exitAfter } from '../../src/process/signals.ts';

const [fault] = process.argv.slice(2);
const log = createLogger('info');
const stop = exitAfter(async () => log.info('stopping'));
onUncaught(log, () => stop(1));

if (fault === 'rejection') {
  void Promise.reject(new Error('nobody caught this'));
  // It goes on: this line and the orderly exit come after.
  setTimeout(() => {
    log.info('still here');
    process.exit(0);
  }, 50);
} else {
  setTimeout(() => {
    throw new Error('nobody caught this');
  });
  setInterval(() => undefined, 1_000);
}
