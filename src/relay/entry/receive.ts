/** Takes a call in: who calls, then what he asks. */
import { join } from 'node:path';
import { fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Dialect, PathFacts, RequestFacts } from '../../dialects/dialect.ts';
import { requestFacts } from '../../dialects/prompt.ts';
import type { Caller } from '../../modules/token/callers.ts';
import { holdAhead } from '../answer/room-meter.ts';
import { withSharedContext } from '../choose/eligible.ts';
import type { RelayDeps } from '../deps.ts';
import type { Admitted, Held, RelayRequest, Upload } from '../request.ts';
import { bodyRoom, bodyTurn, comingBodyRoom, uploadRoom } from '../shares.ts';
import { readRequestBody } from './body.ts';
import { callersBody } from './callers-body.ts';
import { asksForSocket } from './endpoints.ts';
import { byKey, type Incoming } from './incoming.ts';
import type { Report } from './report.ts';
import { isForm, readUpload } from './upload.ts';

/** Throws what is wrong with the caller or with what he sends. */
export async function receive(
  incoming: Incoming,
  report: Report,
  deps: RelayDeps,
): Promise<{ request: RelayRequest; admitted: Admitted }> {
  if (deps.stopping.begun) throw fail('stopping', { retryAfterSec: 5 });
  const { request, endpoint, query, path, admission = byKey, upgrade } = incoming;
  const { id, ip, startedAt, hold, whenSent, sent, heldUntil, ended } = report;
  const slot = deps.calls.enter(ip);
  hold(slot);
  let upload: Upload | undefined;
  const read = async (userId: number) => {
    // While a body comes, its call's place is others'.
    slot.wait();
    const came = await readBody(incoming, userId, deps);
    if (came.held) hold(came.held);
    slot.of(userId);
    ({ upload } = came);
    return came.body;
  };
  const met = (caller: Caller) => {
    report.caller = caller;
  };
  const { admitted, body: came } = await admission(incoming, { read, met }, deps);
  report.isKnown = true;
  const { operation, dialect, joiner } = endpoint;
  const { body, dropped, kept } = callersBody(came, endpoint);
  const facts = factsOf(dialect, body, upload ? { ...path, files: upload.files } : path, kept);
  report.model = facts.model;
  report.isStream = facts.stream;
  const ahead = holdAhead({ userId: admitted.caller.userId, ip }, deps);
  if (ahead) hold(ahead);
  // A form is read from the disk as it goes up. A body stays in memory as long as the answer comes: `fetch` keeps it.
  whenSent(() => upload?.sent());
  return {
    admitted,
    request: {
      id,
      ip,
      userId: admitted.caller.userId,
      operation,
      dialect,
      headers: request.headers,
      query,
      path,
      body,
      dropped,
      upload,
      upgrade: upgrade && ((peer) => upgrade(peer, id)),
      joiner: joiner?.(query) ?? null,
      facts,
      startedAt,
      wantsCost: request.headers.get('x-include-cost') === '1',
      left: request.signal,
      hold,
      standsStill: slot.standsStill,
      ahead,
      whenSent,
      sent,
      heldUntil,
      ended,
    },
  };
}

interface Body {
  body: JsonObject;
  /** Absent for a body that takes no room. */
  held?: Held;
  upload?: Upload;
}

/** What the caller sends: JSON, or a form where the call takes one; of a websocket nothing yet. */
async function readBody(
  { request, ip, endpoint: { form }, upgrade }: Incoming,
  userId: number,
  deps: RelayDeps,
): Promise<Body> {
  if (upgrade) {
    checkUpgrade(request);
    return { body: {} };
  }
  const turn = bodyTurn({ userId, ip }, deps);
  if (form && isForm(request.headers)) {
    // Its fields are read as they come, and its files stay on the disk.
    await turn(0, request.signal);
    const folder = join(deps.env.DATA_DIR, 'tmp');
    const upload = await readUpload(request, {
      folder,
      room: uploadRoom({ userId, ip }, deps),
      texts: bodyRoom({ userId, ip }, deps),
    });
    return { body: upload.fields, held: upload.held, upload };
  }
  if (form === 'always') {
    throw fail('invalid_request', {
      params: {
        reason: { zh: '请以 multipart/form-data 表单发送', en: 'A form (multipart/form-data) is expected.' },
      },
    });
  }
  return readRequestBody(request, comingBodyRoom({ userId, ip }, deps), turn);
}

function checkUpgrade(request: Request): void {
  if (asksForSocket(request)) return;
  throw fail('invalid_request', {
    params: { reason: { zh: '请使用 WebSocket 连接', en: 'A websocket is expected.' } },
  });
}

function factsOf(
  dialect: Dialect,
  body: JsonObject,
  path: PathFacts,
  kept: string | undefined,
): RequestFacts {
  const facts = requestFacts(dialect, body, path);
  return kept === undefined ? facts : withSharedContext(facts, kept);
}
