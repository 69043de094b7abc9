/** Notes for all that a call sets going on whose behalf it is. */
import { Elysia } from 'elysia';
import type { Env } from '../env.ts';
import { onBehalf } from '../platform/on-behalf.ts';
import { contextOf, turnOf } from './context.ts';

export const behalf = ({ env }: { env: Env }) =>
  new Elysia({ name: 'behalf' }).wrap(
    (handle, request) =>
      (...call: unknown[]) =>
        onBehalf(
          () => turnOf(contextOf(request, env)),
          () => handle(...call),
        ),
  );
