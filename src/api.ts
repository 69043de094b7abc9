/** Every call under `/api`, in one visible order. Knows nothing of the pages, which take the types of their calls from here. */
import { Elysia } from 'elysia';
import { anyHost } from './http/any-host.ts';
import { apiLimit } from './http/api-limit.ts';
import { behalf } from './http/behalf.ts';
import { bodies } from './http/body.ts';
import type { SheetDeps } from './http/csv.ts';
import { demo } from './http/demo.ts';
import { envelope } from './http/envelope.ts';
import { type GuardDeps, guard } from './http/guard.ts';
import type { LargeAnswers } from './http/large-answers.ts';
import type { OpenAnswers } from './http/open-answers.ts';
import { activityRoutes } from './modules/activity/routes.ts';
import { aiRoleRoutes } from './modules/ai-role/routes.ts';
import { marketplaceRoutes } from './modules/application/routes.ts';
import { auditRoutes } from './modules/audit/routes.ts';
import { adminActionRoutes } from './modules/audit-log/routes.ts';
import { accountRoutes } from './modules/auth/account/routes.ts';
import { notifyRoutes } from './modules/auth/account/routes-notify.ts';
import { captchaRoutes } from './modules/auth/captcha/routes.ts';
import { mailboxRoutes } from './modules/auth/mail/routes.ts';
import { bindEmailRoutes } from './modules/auth/mail/routes-bind.ts';
import { oauthRoutes } from './modules/auth/oauth/routes.ts';
import { telegramRoutes } from './modules/auth/oauth/routes-telegram.ts';
import { wechatRoutes } from './modules/auth/oauth/routes-wechat.ts';
import { passkeyRoutes } from './modules/auth/passkey/routes.ts';
import { passwordRoutes } from './modules/auth/password/routes.ts';
import { phoneRoutes } from './modules/auth/phone/routes.ts';
import { secondFactorRoutes } from './modules/auth/second-factor/routes.ts';
import { setupRoutes } from './modules/auth/setup/routes.ts';
import { channelRoutes, modelRoutes } from './modules/channel/routes.ts';
import { customModelRoutes } from './modules/custom-model/routes.ts';
import type { Deps } from './modules/deps.ts';
import { fuelPackRoutes } from './modules/fuel-pack/routes.ts';
import { groupRoutes } from './modules/group/routes.ts';
import { invitationRoutes } from './modules/invitation/routes.ts';
import { likeRoutes } from './modules/like/routes.ts';
import { logRoutes } from './modules/log/routes.ts';
import { mailRoutes } from './modules/mail/routes.ts';
import { keepLists } from './modules/model-hub/kept.ts';
import { modelHubRoutes, pricingRoutes } from './modules/model-hub/routes.ts';
import { oauthServerRoutes } from './modules/oauth-app/routes.ts';
import { oauthAppRoutes } from './modules/oauth-app/routes-admin.ts';
import { embedRoutes } from './modules/oauth-app/routes-embed.ts';
import { allowedAppRoutes } from './modules/oauth-app/routes-own.ts';
import { optionRoutes } from './modules/option/routes.ts';
import { overviewRoutes } from './modules/overview/routes.ts';
import { paymentCallbackRoutes, paymentRoutes } from './modules/payment/routes.ts';
import { promptRoutes } from './modules/prompt/routes.ts';
import { redeemRoutes, redemptionRoutes } from './modules/redemption/routes.ts';
import type { SessionDeps } from './modules/session/service.ts';
import { siteRoutes } from './modules/site/routes.ts';
import { statementRoutes } from './modules/statement/routes.ts';
import { statusRoutes } from './modules/status/routes.ts';
import { supplierRoutes } from './modules/supplier/routes.ts';
import { drawingRoutes, taskRoutes } from './modules/task/routes.ts';
import { termsRoutes } from './modules/terms/routes.ts';
import { tokenRoutes } from './modules/token/routes.ts';
import { tokenRequestRoutes } from './modules/token-request/routes.ts';
import { usageRoutes } from './modules/usage/routes.ts';
import { userRoutes } from './modules/user/routes.ts';
import type { MetricsSnapshot } from './platform/metrics.ts';
import { createProbe } from './relay/attempt/probe.ts';
import { openBreakers } from './relay/choose/open-breakers.ts';
import type { RelayDeps } from './relay/deps.ts';
import { createTaskFiles } from './relay/entry/task-files.ts';

/** What the whole server is made over. */
export type AppDeps = Deps &
  GuardDeps &
  SessionDeps &
  SheetDeps & { relay: RelayDeps; large: LargeAnswers; openAnswers: OpenAnswers };

/** The figures of all processes of this data folder. */
export type Snapshots = () => Promise<readonly MetricsSnapshot[]>;

// Parts of their own, because the types of plugins in one long chain nest too deep for the compiler.

/** A user's own account, and the ways into it beside the password. */
const ownAccountRoutes = (deps: AppDeps) =>
  new Elysia({ name: 'own-account' })
    .use(accountRoutes(deps))
    .use(mailboxRoutes(deps))
    .use(bindEmailRoutes(deps))
    .use(captchaRoutes(deps))
    .use(phoneRoutes(deps))
    .use(notifyRoutes(deps))
    .use(secondFactorRoutes(deps))
    .use(passkeyRoutes(deps))
    .use(oauthRoutes(deps))
    .use(telegramRoutes(deps))
    .use(wechatRoutes(deps));

/** How quota comes in, and where it went. */
const walletRoutes = (deps: AppDeps) =>
  new Elysia({ name: 'wallet' })
    .use(redemptionRoutes(deps))
    .use(redeemRoutes(deps))
    .use(paymentRoutes(deps))
    .use(paymentCallbackRoutes(deps))
    .use(fuelPackRoutes(deps))
    .use(activityRoutes(deps))
    .use(statementRoutes(deps))
    .use(auditRoutes(deps))
    .use(invitationRoutes(deps));

/** What everybody is told, and the first run. */
const publicRoutes = (deps: AppDeps) =>
  new Elysia({ name: 'public' }).use(statusRoutes(deps)).use(siteRoutes(deps)).use(setupRoutes(deps));

/** What was called, one by one. */
const recordRoutes = (deps: AppDeps) =>
  new Elysia({ name: 'records' })
    .use(logRoutes(deps))
    .use(taskRoutes(deps, createTaskFiles(deps.relay)))
    .use(likeRoutes(deps))
    .use(drawingRoutes(deps));

/** The same in figures, and how things stand. */
const figureRoutes = (deps: AppDeps, snapshots: Snapshots) =>
  new Elysia({ name: 'figures' })
    .use(usageRoutes(deps))
    .use(overviewRoutes(deps, { openBreakers: () => openBreakers(deps.relay), snapshots }));

/** What companion clients are served. */
const deskRoutes = (deps: AppDeps) =>
  new Elysia({ name: 'desk' }).use(promptRoutes(deps)).use(aiRoleRoutes(deps)).use(marketplaceRoutes(deps));

/** What users bring keys of their own for, and those keys. */
const supplyRoutes = (deps: AppDeps) =>
  new Elysia({ name: 'supply' })
    .use(supplierRoutes(deps))
    .use(customModelRoutes(deps, createProbe(deps.relay)));

/** Applications that sign in here: their own calls, and root's. */
const applicationRoutes = (deps: AppDeps) =>
  new Elysia({ name: 'applications' })
    .use(oauthServerRoutes(deps))
    .use(embedRoutes(deps))
    .use(allowedAppRoutes(deps))
    .use(oauthAppRoutes(deps));

/** The calls under `/api`; also what the pages' loaders call in process. */
export function createApi(deps: AppDeps, snapshots: Snapshots = async () => [deps.metrics.snapshot()]) {
  const lists = keepLists(deps);
  const api = new Elysia({ name: 'api', handler: anyHost })
    .use(envelope(deps))
    .use(apiLimit(deps))
    .use(behalf(deps))
    .use(demo(deps))
    .use(bodies(deps))
    .use(guard(deps))
    .use(publicRoutes(deps))
    .use(passwordRoutes(deps))
    .use(groupRoutes(deps))
    .use(ownAccountRoutes(deps))
    .use(applicationRoutes(deps))
    .use(userRoutes(deps))
    .use(tokenRoutes(deps))
    .use(tokenRequestRoutes(deps))
    .use(walletRoutes(deps))
    .use(channelRoutes(deps, createProbe(deps.relay)))
    .use(modelRoutes(deps))
    .use(supplyRoutes(deps))
    .use(recordRoutes(deps))
    .use(figureRoutes(deps, snapshots))
    .use(adminActionRoutes(deps))
    .use(optionRoutes(deps))
    .use(deskRoutes(deps))
    .use(modelHubRoutes(deps, lists))
    .use(pricingRoutes(deps, lists))
    .use(termsRoutes(deps))
    .use(mailRoutes(deps));
  deps.consoleBodies.learn(api.routes);
  return api;
}

export type Api = ReturnType<typeof createApi>;
