/** The port that a server listens on: another program may have it. */
import { type Env, StartError } from '../env.ts';

/** Throws StartError when another program has the port. Workers share theirs, so the parent looks before they start. */
export async function requireFreePort(env: Env): Promise<void> {
  const probe = onFreePort(env, () =>
    Bun.serve({ hostname: env.HOST, port: env.PORT, fetch: () => new Response(null, { status: 503 }) }),
  );
  await probe.stop(true);
}

export function onFreePort<T>(env: Pick<Env, 'HOST' | 'PORT'>, listen: () => T): T {
  try {
    return listen();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new StartError(
      `PORT: another program listens on ${env.HOST}:${env.PORT}. Stop it, or set PORT to a free one.`,
    );
  }
}
