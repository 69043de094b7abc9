/** What nobody caught. A rejection is one piece of work gone wrong; an exception leaves the process in doubt. */
import type { Logger } from '../platform/logger.ts';

/** A rejection is logged and the process goes on; after an exception `stop` should end it with an error. */
export function onUncaught(log: Logger, stop: () => void): void {
  process.on('unhandledRejection', (error) => log.error('unhandled.rejection', { error }));
  process.on('uncaughtException', (error) => {
    log.error('uncaught.exception', { error });
    stop();
  });
}
