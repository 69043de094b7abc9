/** All personal settings, in their order. A new section is a title beside the others, a file, and its line here. */
import type { ComponentType } from 'react';
import { useTranslation } from '@/lib/use-translation.ts';
import { AccessTokenSection } from './access-token.tsx';
import { AccountSection } from './account.tsx';
import { type SectionName, sectionTitles, useSectionNames } from './anchors.tsx';
import { ApplicationsSection } from './applications.tsx';
import { BalanceSection } from './balance.tsx';
import { ConnectionsSection } from './connections.tsx';
import { ModelsSection } from './models.tsx';
import { NotificationsSection } from './notifications.tsx';
import { PasskeysSection } from './passkeys.tsx';
import type { Personal, SectionProps } from './personal.ts';
import { PreferencesSection } from './preferences.tsx';
import { PriceSection } from './price.tsx';
import { RewardsSection } from './rewards.tsx';
import { SectionPanel } from './section.tsx';
import { SessionsSection } from './sessions.tsx';
import { TwoFactorSection } from './two-factor.tsx';

const contents: Record<SectionName, ComponentType<SectionProps>> = {
  account: AccountSection,
  balance: BalanceSection,
  rewards: RewardsSection,
  models: ModelsSection,
  connections: ConnectionsSection,
  price: PriceSection,
  notifications: NotificationsSection,
  preferences: PreferencesSection,
  'two-factor': TwoFactorSection,
  passkeys: PasskeysSection,
  sessions: SessionsSection,
  applications: ApplicationsSection,
  'access-token': AccessTokenSection,
};

export function PersonalSections({ personal }: { personal: Personal }) {
  const { t } = useTranslation();
  const names = useSectionNames();
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4 max-md:gap-2">
      {names.map((name, at) => {
        const Content = contents[name];
        return (
          <SectionPanel key={name} id={name} title={t(sectionTitles[name])} isFirst={at === 0}>
            <Content personal={personal} />
          </SectionPanel>
        );
      })}
    </div>
  );
}
