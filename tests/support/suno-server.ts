/** A service that makes music, as far as its wire goes: it takes tasks, and says of each what a test has told it. */
import { type JsonObject, parseObject } from '../../src/core/json.ts';

export const SUNO_KEY = 'sk-suno-0123456789';

export interface SunoSeen {
  path: string;
  authorization: string | null;
  body: JsonObject;
}

export interface SunoServer {
  base: string;
  seen: SunoSeen[];
  /** Of the tasks that were submitted, in order. */
  readonly submitted: SunoSeen[];
  /** What it answers to the next submission instead of taking it. */
  refuses: Response | null;
  /** What it says of all tasks, or of one by its id. */
  tell(news: JsonObject, id?: string): void;
  /** It answers nothing good when it is asked after tasks. */
  isSilent: boolean;
  close(): Promise<void>;
}

export const SONGS: JsonObject[] = [
  {
    id: 'clip-1',
    title: 'Rain',
    status: 'complete',
    audio_url: 'https://cdn.example/clip-1.mp3',
    text: 'It rains',
  },
  { id: 'clip-2', title: 'Rain', status: 'complete', audio_url: 'https://cdn.example/clip-2.mp3' },
];

/** What it says of a task that is done. */
export const DONE: JsonObject = {
  status: 'SUCCESS',
  progress: '100%',
  start_time: 1_700_000_001,
  finish_time: 1_700_000_031,
  data: SONGS,
};

export const FAILED: JsonObject = { status: 'FAILURE', progress: '0%', fail_reason: 'no such style' };

export function startSuno(): SunoServer {
  let all: JsonObject = { status: 'IN_PROGRESS', progress: '40%' };
  const told = new Map<string, JsonObject>();
  let next = 0;
  const answer = (path: string, { ids }: JsonObject): Response => {
    if (path.endsWith('.mp3')) {
      return new Response(`the song ${path}`, { headers: { 'content-type': 'audio/mpeg' } });
    }
    if (path.startsWith('/suno/submit/')) {
      const refusal = suno.refuses;
      suno.refuses = null;
      next++;
      return refusal ?? Response.json({ code: 'success', message: '', data: `vendor-${next}` });
    }
    if (suno.isSilent) return new Response('<html>', { status: 503 });
    const asked = Array.isArray(ids) ? ids.map(String) : [];
    const data = asked.map((id) => ({ task_id: id, action: 'MUSIC', ...all, ...told.get(id) }));
    return Response.json({ code: 'success', message: '', data });
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const body = parseObject(await request.text()) ?? {};
      suno.seen.push({ path: pathname, authorization: request.headers.get('authorization'), body });
      return answer(pathname, body);
    },
  });
  const suno: SunoServer = {
    base: `http://127.0.0.1:${server.port}`,
    seen: [],
    get submitted() {
      return suno.seen.filter(({ path }) => path.startsWith('/suno/submit/'));
    },
    refuses: null,
    isSilent: false,
    tell(news, id) {
      if (id === undefined) all = news;
      else told.set(id, news);
    },
    close: () => server.stop(true),
  };
  return suno;
}
