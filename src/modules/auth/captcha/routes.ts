/** `/api/captcha`: a puzzle, and the judgement of its answer. The fields stand beside the envelope's and in its data. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import { turnOf } from '../../../http/context.ts';
import { knownAs, shelvesOfBegun } from '../../../http/counted-by.ts';
import { ok } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import { keepCodeFlow } from '../../../http/sign-in-flow-cookie.ts';
import type { Deps } from '../../deps.ts';
import type { SessionDeps } from '../../session/service.ts';
import { SMS_PASS } from '../phone/phone.ts';
import { checkCaptcha, issueCaptcha } from './captcha.ts';
import { createPuzzlePool } from './pool.ts';

const checkBody = z.object({
  captcha_key: z.string().max(200),
  position: z.object({ x: z.number(), y: z.number() }),
});

/** The result code of clients that know captchas by it. */
const FINE = { code: 0 };

export const captchaRoutes = (deps: Deps & GuardDeps & SessionDeps) => {
  const puzzles = createPuzzlePool();
  return new Elysia({ name: 'captcha', prefix: '/api/captcha' })
    .use(guard(deps))
    .get(
      '/',
      async ({ context, request }) => {
        const coming = { context, request };
        const { network, who: stranger } = turnOf(context);
        const turn = { network, who: knownAs(deps, coming)?.all ?? stranger };
        const shelves = shelvesOfBegun(deps, 'captcha', coming);
        const captcha = { ...FINE, ...(await issueCaptcha(deps, puzzles, { turn, shelves })) };
        return { ...captcha, ...ok(captcha) };
      },
      { guest: true, ownSite: true, acts: 'in-demo' },
    )
    .post(
      '/check',
      async ({ body: { captcha_key: key, position }, context, request, set }) => {
        const flowId = keepCodeFlow(request, context, set);
        const pass = { purpose: SMS_PASS, flowId, ip: context.clientIp };
        const known = knownAs(deps, { context, request });
        await checkCaptcha(deps, { key, position, pass, known });
        return { ...FINE, ...ok(FINE) };
      },
      { guest: true, body: checkBody },
    );
};
