/** Under which address this site is reached. */
import type { Env } from '../env.ts';
import type { Options } from './store.ts';

/** As the environment names it, else as root has set it; empty where nobody has. */
export const publicAddress = ({ env, options }: { env: Env; options: Options }): string =>
  env.SERVER_ADDRESS || options.get('ServerAddress');
