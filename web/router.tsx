/** The pages, one line each, and the router that a request or a browser makes from them. */
import { createSerializationAdapter, createRouter as createTanStackRouter } from '@tanstack/react-router';
import { ErrorPage } from './components/shell/error-page.tsx';
import { NotFoundPage } from './components/shell/not-found-page.tsx';
import { ApiError, type ApiErrorFields } from './lib/api-error.ts';
import type { PageContext } from './lib/page-context.ts';
import { parseSearch, stringifySearch } from './lib/search.ts';
import { activityCenterRoute } from './pages/activity-center.tsx';
import {
  activityAddRoute,
  activityConfigRoute,
  activityEditRoute,
  activityRewardRoute,
} from './pages/activity-config.tsx';
import { adminLogEntryRoute, adminLogRoute } from './pages/admin-log.tsx';
import { marketplaceRoute } from './pages/aipy-conf.marketplace.tsx';
import { promptsRoute } from './pages/aipy-conf.prompts.tsx';
import { rolesRoute } from './pages/aipy-conf.roles.tsx';
import { suppliersRoute } from './pages/aipy-conf.suppliers.tsx';
import { aipyConfIndexRoute, aipyConfRoute } from './pages/aipy-conf.tsx';
import { approveRoute } from './pages/approve.tsx';
import { channelAddRoute, channelEditRoute, channelRoute, channelTagRoute } from './pages/channel.tsx';
import { consoleRoute } from './pages/console.tsx';
import { customModelsRoute } from './pages/custom-models.tsx';
import { detailRoute } from './pages/detail.tsx';
import { homeRoute } from './pages/home.tsx';
import { logRoute, logRowRoute } from './pages/log.tsx';
import { loginRoute } from './pages/login.tsx';
import { drawingRoute } from './pages/midjourney.tsx';
import { modelHubRoute } from './pages/model-hub.tsx';
import { oauthLoginRoute } from './pages/oauth.login.tsx';
import { oauthRoute } from './pages/oauth.tsx';
import { oauthAppsAddRoute, oauthAppsEditRoute, oauthAppsRoute } from './pages/oauth-apps.tsx';
import { paymentRoute } from './pages/payment.tsx';
import { personalRoute } from './pages/personal.tsx';
import { redemptionAddRoute, redemptionEditRoute, redemptionRoute } from './pages/redemption.tsx';
import { registerRoute } from './pages/register.tsx';
import { resetRoute, userResetRoute } from './pages/reset.tsx';
import { rootRoute } from './pages/root.tsx';
import { settingRoute } from './pages/setting.tsx';
import { setupRoute } from './pages/setup.tsx';
import { taskEntryRoute, taskRoute } from './pages/task.tsx';
import { taskLikeEntryRoute, taskLikeRoute } from './pages/task-like.tsx';
import { termsRoute } from './pages/terms.tsx';
import { tokenAddRoute, tokenChatRoute, tokenCodeRoute, tokenEditRoute, tokenRoute } from './pages/token.tsx';
import { statementRoute } from './pages/topup.statement.tsx';
import { topupRoute } from './pages/topup.tsx';
import { userAddRoute, userEditRoute, userRoute, userSelfRoute } from './pages/user.tsx';

const routeTree = rootRoute.addChildren([
  homeRoute,
  setupRoute,
  loginRoute,
  modelHubRoute,
  registerRoute,
  resetRoute,
  userResetRoute,
  oauthRoute,
  oauthLoginRoute,
  termsRoute,
  consoleRoute.addChildren([
    tokenRoute.addChildren([tokenAddRoute, tokenEditRoute, tokenCodeRoute, tokenChatRoute]),
    channelRoute.addChildren([channelAddRoute, channelEditRoute, channelTagRoute]),
    approveRoute,
    detailRoute,
    logRoute.addChildren([logRowRoute]),
    drawingRoute,
    taskRoute.addChildren([taskEntryRoute]),
    redemptionRoute.addChildren([redemptionAddRoute, redemptionEditRoute]),
    userRoute.addChildren([userAddRoute, userEditRoute]),
    userSelfRoute,
    oauthAppsRoute.addChildren([oauthAppsAddRoute, oauthAppsEditRoute]),
    adminLogRoute.addChildren([adminLogEntryRoute]),
    taskLikeRoute.addChildren([taskLikeEntryRoute]),
    settingRoute,
    personalRoute,
    topupRoute,
    paymentRoute,
    statementRoute,
    activityCenterRoute,
    customModelsRoute,
    aipyConfRoute.addChildren([
      aipyConfIndexRoute,
      suppliersRoute,
      promptsRoute,
      rolesRoute,
      marketplaceRoute,
    ]),
    activityConfigRoute.addChildren([activityAddRoute, activityEditRoute, activityRewardRoute]),
  ]),
]);

/** A loader's ApiError crosses from the server's rendering to the browser whole; of other errors only the message does. */
const apiErrors = createSerializationAdapter({
  key: 'ApiError',
  test: (value): value is ApiError => value instanceof ApiError,
  toSerializable: (error): ApiErrorFields => error.fields,
  fromSerializable: (fields): ApiError => new ApiError(fields),
});

export function createRouter(context: PageContext, nonce?: string) {
  const router = createTanStackRouter({
    routeTree,
    context,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
    ssr: { nonce },
  });
  // The constructor's type keeps this option for the framework's own start package; the router reads it all the same.
  Object.assign(router.options, { serializationAdapters: [apiErrors] });
  return router;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createRouter>;
  }
}
