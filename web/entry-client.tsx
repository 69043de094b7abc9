/** Takes over the page that the server has rendered. */
import { RouterClient } from '@tanstack/react-router/ssr/client';
import { hydrateRoot } from 'react-dom/client';
import { readBoot } from './boot.ts';
import { browserApi } from './lib/api.ts';
import { ApiError } from './lib/api-error.ts';
import { rememberApproveCode } from './lib/approve-code.ts';
import { broughtText } from './lib/brought-texts.ts';
import { browserZone } from './lib/clock.ts';
import { translatorOf } from './lib/i18n.ts';
import { followZone } from './lib/in-zone.ts';
import { keepShown } from './lib/keep-shown.ts';
import { notify } from './lib/notify.ts';
import { embedBearer, hasArrived, keep } from './lib/storage.ts';
import { createRouter } from './router.tsx';

/** So long after it was taken over, the page is used. */
const USED_AFTER_MS = 500;

const boot = readBoot();
rememberApproveCode(window.location);
keep.status(boot.status);
keep.preferences(boot.preferences);
if (boot.user) keep.user(boot.user);
const t = translatorOf(boot.locale, broughtText);
if (boot.user && hasArrived()) notify({ tone: 'ok', text: t('login.succeeded') });
const router = createRouter({
  boot,
  api: browserApi(boot.user?.id ?? null, embedBearer()),
  t,
  zone: browserZone,
});

keepShown(router);

hydrateRoot(document, <RouterClient router={router} />, {
  // A page that the browser draws otherwise than the server is a bug: it must be heard, and tests listen.
  onRecoverableError: (error) => reportError(error),
  // What the server refused stands on the page, in words; anything else that a page threw is a bug, too.
  onCaughtError: (error) => {
    if (!(error instanceof ApiError)) reportError(error);
  },
});

function whenUsed(): void {
  // Some browsers take long to tell their zone.
  followZone(router);
  // What stands in where nothing can be reached. Without https, or where a browser keeps none, all works as before.
  if (boot.user && 'serviceWorker' in navigator)
    navigator.serviceWorker.register(`/sw.js?lang=${boot.locale}`).catch(() => undefined);
}

// Its code may come late, and until then the router knows nothing of what the page shows.
const untold = router.subscribe('onRendered', () => {
  untold();
  setTimeout(whenUsed, USED_AFTER_MS);
});
