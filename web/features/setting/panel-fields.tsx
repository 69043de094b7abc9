/** The blocks of a panel, and what stands in a block beside its fields. */
import { useLeaveGuard } from '@/components/leave-guard.ts';
import type { HubModel } from '@/features/prices/draft.ts';
import { PricingSection } from '@/features/prices/pricing-section.tsx';
import { type OneChannel, type PriceViewName, SHOWING } from '@/features/prices/views.ts';
import type { TextKey } from '@/lib/text-key.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { CallbackTest } from './callback-test.tsx';
import { ChatsBody } from './chats-grid.tsx';
import type { OptionField } from './field.ts';
import { blocksOf, isJson } from './field.ts';
import { GroupsBody } from './groups-grid.tsx';
import { InvitationExample } from './invitation-example.tsx';
import { MailTest } from './mail-test.tsx';
import { OidcTest } from './oidc-test.tsx';
import { OptionBlock } from './option-block.tsx';
import { PartLinks } from './part-links.tsx';
import { useSettings } from './use-settings.ts';

/** The ratio of every group, as the option has it. */
export function groupsIn(fields: readonly OptionField[]): Record<string, number> {
  const text = fields.find(({ key }) => key === 'GroupRatio')?.value;
  return text === undefined || !isJson(text) ? {} : JSON.parse(text);
}

/** The block that has views of its own. */
const PRICING = 'pricing';

const anchorOf = (block: string) => `part-${block}`;

interface PanelFieldsProps {
  fields: OptionField[];
  sub: PriceViewName;
  models: HubModel[] | null;
  only: OneChannel | null;
}

export function PanelFields({ fields, sub, models, only }: PanelFieldsProps) {
  const { t } = useTranslation();
  const settings = useSettings(fields);
  useLeaveGuard(settings.dirty, { free: SHOWING });
  const blocks = blocksOf(fields);
  const titleOf = (block: string) => t(`setting.block.${block}` as TextKey);
  const others = blocks.filter(([block]) => block !== PRICING);
  const prices = blocks.find(([block]) => block === PRICING)?.[1];
  return (
    <div className="grid min-w-0 content-start gap-4">
      <PartLinks
        parts={[...others.map(([block]) => block), ...(prices ? [PRICING] : [])].map((block) => ({
          id: anchorOf(block),
          title: titleOf(block),
        }))}
      />
      {others.map(([block, own]) => (
        <OptionBlock
          key={block}
          anchor={anchorOf(block)}
          title={titleOf(block)}
          fields={own}
          settings={settings}
          actions={
            (block === 'mail' && <MailTest />) ||
            (block === 'payment' && <CallbackTest />) ||
            (block === 'oidc' && <OidcTest fields={own} settings={settings} />)
          }
          note={block === 'invitation' && <InvitationExample fields={own} settings={settings} />}
          body={
            (block === 'groups' && <GroupsBody fields={own} settings={settings} />) ||
            (block === 'chats' && <ChatsBody fields={own} settings={settings} />)
          }
        />
      ))}
      {prices && (
        <PricingSection
          anchor={anchorOf(PRICING)}
          view={sub}
          fields={prices}
          settings={settings}
          models={models}
          only={only}
          groups={groupsIn(fields)}
        />
      )}
    </div>
  );
}
