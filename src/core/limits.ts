/**
 * Every bound of the product, with its origin. Each file declares one subject; a name stands in one file only (tested).
 * Reaching one is a clear error, never a crash.
 */
import { answers } from './limits/answers.ts';
import { applications } from './limits/applications.ts';
import { attempts } from './limits/attempts.ts';
import { bodies } from './limits/bodies.ts';
import { callers } from './limits/callers.ts';
import { consoleCalls } from './limits/console-calls.ts';
import { holdings } from './limits/holdings.ts';
import { logs } from './limits/logs.ts';
import { messages } from './limits/messages.ts';
import { money } from './limits/money.ts';
import { names } from './limits/names.ts';
import { overview } from './limits/overview.ts';
import { payments } from './limits/payments.ts';
import { rendering } from './limits/rendering.ts';
import { requests } from './limits/requests.ts';
import { signIn } from './limits/sign-in.ts';
import { sockets } from './limits/sockets.ts';
import { tasks } from './limits/tasks.ts';
import { upstreams } from './limits/upstreams.ts';

export const subjects = {
  bodies,
  requests,
  answers,
  callers,
  consoleCalls,
  upstreams,
  sockets,
  money,
  signIn,
  applications,
  attempts,
  overview,
  logs,
  holdings,
  payments,
  messages,
  names,
  rendering,
  tasks,
};

export const limits = {
  ...bodies,
  ...requests,
  ...answers,
  ...callers,
  ...consoleCalls,
  ...upstreams,
  ...sockets,
  ...money,
  ...signIn,
  ...applications,
  ...attempts,
  ...overview,
  ...logs,
  ...holdings,
  ...payments,
  ...messages,
  ...names,
  ...rendering,
  ...tasks,
} as const;
