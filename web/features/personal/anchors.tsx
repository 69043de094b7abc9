/** The sections of the personal settings by name, and the links that lead to them. */
import { useMay } from '@/lib/page-context.ts';
import type { TextKey } from '@/lib/text-key.ts';
import { useTranslation } from '@/lib/use-translation.ts';

/** In their order; the name is where a link leads: `/personal#sessions`. */
export const sectionTitles = {
  account: 'personal.account',
  balance: 'personal.balance',
  rewards: 'personal.rewards',
  models: 'personal.models',
  connections: 'personal.connections',
  price: 'personal.price',
  notifications: 'personal.notifications',
  preferences: 'personal.preferences',
  'two-factor': 'second.title',
  passkeys: 'passkey.title',
  sessions: 'personal.sessions',
  applications: 'allowed.title',
  'access-token': 'personal.accessToken',
} as const satisfies Record<string, TextKey>;

export type SectionName = keyof typeof sectionTitles;
const sectionNames = Object.keys(sectionTitles) as SectionName[];

/** Those that tell more than they let him do: all of them only on the site itself. */
const TELLING: readonly SectionName[] = ['balance', 'rewards', 'models', 'preferences'];

export const useSectionNames = (): readonly SectionName[] => (useMay('act') ? sectionNames : TELLING);

/** On the phone the sections' own headings are as near. */
export function PersonalAnchors() {
  const { t } = useTranslation();
  const names = useSectionNames();
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <a
            href={`#${name}`}
            className="flex min-h-8 items-center px-3 py-1 text-sm text-muted no-underline hover:text-text"
          >
            {t(sectionTitles[name])}
          </a>
        </li>
      ))}
    </ul>
  );
}
