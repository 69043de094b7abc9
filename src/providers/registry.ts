/** One line a provider: the only file that imports them. */
import type { Provider } from './provider.ts';

export const providers: readonly Provider[] = [];

const byType = new Map(providers.map((provider) => [provider.type, provider]));

/** The provider of a channel type, or undefined for a type that is not built. */
export const findProvider = (type: number): Provider | undefined => byType.get(type);
