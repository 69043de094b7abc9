/** Where a provider's calls go, found out by having it make them: what is written nowhere twice cannot be forgotten. */
import type { Operation, SpokenDialect } from '../../dialects/dialect.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import type { ChannelAccess, Provider, UpstreamCall } from '../../providers/provider.ts';

/** Stands for a model, where its name is in the address: what follows is the model's, not the place's. */
const MODEL = 'some-model';

/** In the two forms that keys have. No true one is needed, and none would do: a token made for it is kept. */
const KEYS = ['id|secret|other', 'id.secret'] as const;

const NO_SETTINGS = { geminiVersions: {}, geminiSafety: {}, claudeHeaders: {} };

/**
 * The addresses of all calls that the provider makes for such a channel, up to the model and without a query; null when
 * it makes none without a true key.
 */
export async function madeAddresses(
  provider: Provider,
  channel: Pick<ChannelAccess, 'baseUrl' | 'other'>,
): Promise<readonly string[] | null> {
  const asked: string[] = [];
  let isMade = false;
  const refuse = ({ url }: { url: string }) => {
    asked.push(url);
    return Promise.reject(new Error('nothing is called'));
  };
  for (const key of KEYS) {
    const access = { ...channel, id: 0, key, organization: '', site: { name: '', address: '' } };
    for (const call of callsOf(provider, access, refuse)) {
      const url = await urlOf(() => provider.prepare(call));
      isMade ||= url !== null;
      if (url !== null) asked.push(url);
    }
    const listing = await urlOf(() => provider.listModels?.(access).request);
    if (listing !== null) asked.push(listing);
    await provider.balance?.(access, refuse).catch(() => null);
  }
  return isMade ? asked.map(placeOf) : null;
}

/** A wire of the vendor's own is no dialect; its chats are asked for at one address, whatever they are told to speak. */
const dialectsOf = ({ speaks, wire }: Provider): [Operation, readonly SpokenDialect[]][] => {
  const spoken = Object.entries(speaks) as [Operation, readonly SpokenDialect[]][];
  return wire ? [...spoken, ['chat', [openaiChat]]] : spoken;
};

/** A call of each operation in each dialect. */
export const callsOf = (
  provider: Provider,
  channel: ChannelAccess,
  http: UpstreamCall['http'],
): UpstreamCall[] =>
  dialectsOf(provider).flatMap(([operation, dialects]) =>
    [false, true].flatMap((stream) =>
      dialects.map((dialect) => ({
        operation,
        dialect,
        channel,
        model: MODEL,
        requested: MODEL,
        effort: undefined,
        stream,
        query: new URLSearchParams(),
        headers: new Headers(),
        body: '{}',
        asked: {},
        askedIn: dialect.id,
        form: null,
        settings: NO_SETTINGS,
        http,
      })),
    ),
  );

/** Null where this key makes no call: another does, or the provider says by itself where its keys go. */
async function urlOf(
  make: () => { url: string } | undefined | Promise<{ url: string }>,
): Promise<string | null> {
  try {
    return (await make())?.url ?? null;
  } catch {
    return null;
  }
}

function placeOf(url: string): string {
  const [path = ''] = url.split(/[?#]/);
  const model = path.indexOf(MODEL);
  return model < 0 ? path : path.slice(0, model);
}
