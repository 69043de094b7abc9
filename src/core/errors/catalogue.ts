/** All errors. Each file declares one subject, a row an error; a code stands in one file only (tested). */
import { activities } from './activities.ts';
import { bothSurfaces } from './both-surfaces.ts';
import { calls } from './calls.ts';
import { channels } from './channels.ts';
import { desk } from './desk.ts';
import { logs } from './logs.ts';
import { messages } from './messages.ts';
import { modelHub } from './model-hub.ts';
import { oauth } from './oauth.ts';
import { oauthApps } from './oauth-apps.ts';
import { options } from './options.ts';
import { password } from './password.ts';
import { payments } from './payments.ts';
import { redemptions } from './redemptions.ts';
import { registration } from './registration.ts';
import { relay } from './relay.ts';
import { rewards } from './rewards.ts';
import { setup } from './setup.ts';
import { signIn } from './sign-in.ts';
import { suppliers } from './suppliers.ts';
import { tokenRequests } from './token-requests.ts';
import { tokens } from './tokens.ts';
import { users } from './users.ts';

export const subjects = {
  bothSurfaces,
  calls,
  setup,
  password,
  signIn,
  registration,
  oauth,
  oauthApps,
  users,
  options,
  channels,
  messages,
  modelHub,
  tokens,
  tokenRequests,
  redemptions,
  payments,
  rewards,
  activities,
  desk,
  logs,
  suppliers,
  relay,
};

export const catalogue = {
  ...bothSurfaces,
  ...calls,
  ...setup,
  ...password,
  ...signIn,
  ...registration,
  ...oauth,
  ...oauthApps,
  ...users,
  ...options,
  ...channels,
  ...messages,
  ...modelHub,
  ...tokens,
  ...tokenRequests,
  ...redemptions,
  ...payments,
  ...rewards,
  ...activities,
  ...desk,
  ...logs,
  ...suppliers,
  ...relay,
};

export type ErrorCode = keyof typeof catalogue;
