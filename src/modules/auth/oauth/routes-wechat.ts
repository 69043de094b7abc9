/** `/api/oauth/wechat`: without a code the page for an embedded frame, with one the sign-in or the binding. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import { fail } from '../../../core/errors.ts';
import { wireText } from '../../../core/wire/text.ts';
import type { RequestContext } from '../../../http/context.ts';
import { type Coming, knownAs, shelvesOfBegun } from '../../../http/counted-by.ts';
import { done } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import { chosenTheme } from '../../../http/language.ts';
import { keepSignInFlow, readSignInFlow } from '../../../http/sign-in-flow-cookie.ts';
import { type WeChatFrame, wechatFrame } from '../../../http/wechat-frame.ts';
import type { Deps } from '../../deps.ts';
import { attempt, attemptAny, byCallerOfSite } from '../../failed-attempts/service.ts';
import type { SessionDeps } from '../../session/service.ts';
import { requireProvedOwner } from '../account/re-authentication.ts';
import { answerSignIn } from '../routes-sign-in.ts';
import { accountOf, bind } from './service.ts';
import type { ThirdParty } from './third-party.ts';
import { askWeChat, beginWeChat, endWeChat, triesIn, tryInFrame, WECHAT, wechatServer } from './wechat.ts';

const text = wireText(1_000).optional();
const loginQuery = z.object({ code: text, state: text, aff: text });
const bindQuery = z.object({ code: text });

export const wechatRoutes = (deps: Deps & GuardDeps & SessionDeps) => {
  const frame = (
    request: Request,
    { locale }: RequestContext,
    own: Pick<WeChatFrame, 'hidden' | 'cookie'>,
  ): Response => {
    const { options } = deps;
    return wechatFrame({
      ...own,
      locale,
      picture: options.get('WeChatAccountQRCodeImageURL'),
      theme: chosenTheme(request),
      embedOrigins: options.get('EmbedOrigins'),
    });
  };

  const requireOpen = (): void => {
    if (!wechatServer(deps.options)) throw fail('OAUTH_OFF', { params: WECHAT });
  };

  /**
   * Whose code it is; a wrong one counts for who is known too, or for his network, in which frames are many, and for the
   * site.
   */
  const ask = async (coming: Coming, code: string): Promise<ThirdParty> => {
    const ways = await byCallerOfSite(deps, 'wechat', knownAs(deps, coming), coming.context.clientIp);
    return attemptAny(deps, ways, () => askWeChat(deps, code), 'CODE_WRONG');
  };

  return new Elysia({ name: 'wechat', prefix: '/api/oauth/wechat' })
    .use(guard(deps))
    .get(
      '/',
      async ({ query, coming }) => {
        const { request, context } = coming;
        requireOpen();
        const { code, state = '', aff = '' } = query;
        if (code === undefined) {
          const signInFlow = keepSignInFlow(request, context);
          const shelves = shelvesOfBegun(deps, 'wechat-frame', coming);
          const hidden = { state: await beginWeChat(deps, signInFlow.id, shelves), aff };
          return frame(request, context, { hidden, cookie: signInFlow.cookie });
        }
        const flow = { state, flowId: readSignInFlow(request, context) };
        const party = await tryInFrame(deps, flow, () => ask(coming, code));
        await endWeChat(deps, state);
        const { clientIp: ip, locale } = context;
        const account = await accountOf(deps, party, { ip, affCode: aff, locale });
        return answerSignIn(deps, account, coming);
      },
      // Other sites may show the frame; a code that they send would be tried, and counted, in the visitor's name.
      { guest: true, ownSite: { with: 'code' }, acts: true, query: loginQuery },
    )
    .get(
      '/bind',
      async ({ query, viewer, context, request, owner }) => {
        requireOpen();
        const { code } = query;
        if (code === undefined) return frame(request, context, { hidden: {} });
        // Asked before the code is spent at the WeChat server: who has to prove himself first sends it again.
        await requireProvedOwner(deps, owner);
        const tries = [triesIn(`user:${viewer.id}`)];
        const party = await attempt(deps, tries, () => ask({ request, context }, code), 'CODE_WRONG');
        await bind(deps, owner, party, context.locale);
        return { ...done(), message: 'bind' };
      },
      { auth: 'user', acts: true, query: bindQuery },
    );
};
