/** All personal settings, in their order. A new section is one line of the list and a file. */
import type { ComponentType } from 'react';
import type { TextKey } from '@/lib/text-key.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { AccessTokenSection } from './access-token.tsx';
import { AccountSection } from './account.tsx';
import { BalanceSection } from './balance.tsx';
import { ConnectionsSection } from './connections.tsx';
import { ModelsSection } from './models.tsx';
import { NotificationsSection } from './notifications.tsx';
import type { Personal, SectionProps } from './personal.ts';
import { PreferencesSection } from './preferences.tsx';
import { PriceSection } from './price.tsx';
import { RewardsSection } from './rewards.tsx';
import { SectionPanel } from './section.tsx';
import { SessionsSection } from './sessions.tsx';
import { TwoFactorSection } from './two-factor.tsx';

interface Section {
  /** Where a link to it leads: `/personal#sessions`. */
  id: string;
  title: TextKey;
  Content: ComponentType<SectionProps>;
}

const sections: readonly Section[] = [
  { id: 'account', title: 'personal.account', Content: AccountSection },
  { id: 'balance', title: 'personal.balance', Content: BalanceSection },
  { id: 'rewards', title: 'personal.rewards', Content: RewardsSection },
  { id: 'models', title: 'personal.models', Content: ModelsSection },
  { id: 'connections', title: 'personal.connections', Content: ConnectionsSection },
  { id: 'price', title: 'personal.price', Content: PriceSection },
  { id: 'notifications', title: 'personal.notifications', Content: NotificationsSection },
  { id: 'preferences', title: 'personal.preferences', Content: PreferencesSection },
  { id: 'two-factor', title: 'second.title', Content: TwoFactorSection },
  { id: 'sessions', title: 'personal.sessions', Content: SessionsSection },
  { id: 'access-token', title: 'personal.accessToken', Content: AccessTokenSection },
];

export function PersonalSections({ personal }: { personal: Personal }) {
  const { t } = useTranslation();
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4 max-md:gap-2">
      {sections.map(({ id, title, Content }, at) => (
        <SectionPanel key={id} id={id} title={t(title)} isFirst={at === 0}>
          <Content personal={personal} />
        </SectionPanel>
      ))}
    </div>
  );
}

/** Links to the sections; on the phone their own headings are as near. */
export function PersonalAnchors() {
  const { t } = useTranslation();
  return (
    <ul>
      {sections.map(({ id, title }) => (
        <li key={id}>
          <a
            href={`#${id}`}
            className="flex min-h-8 items-center px-3 py-1 text-sm text-muted no-underline hover:text-text"
          >
            {t(title)}
          </a>
        </li>
      ))}
    </ul>
  );
}
