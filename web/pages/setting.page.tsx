import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useLeaveGuard } from '@/components/leave-guard.ts';
import { PageHeader } from '@/components/page-header.tsx';
import { Select } from '@/components/ui/select.tsx';
import type { OptionField } from '@/features/setting/field.ts';
import { blocksOf, type Panel, panels } from '@/features/setting/field.ts';
import { MailTest } from '@/features/setting/mail-test.tsx';
import { OptionBlock } from '@/features/setting/option-block.tsx';
import { useSettings } from '@/features/setting/use-settings.ts';
import { cn } from '@/lib/cn.ts';
import type { TextKey } from '@/lib/text-key.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/setting');

export function SettingPage() {
  const { t } = useTranslation();
  const { tab, fields } = route.useLoaderData();
  return (
    <>
      <PageHeader title={t('setting.title')} help={t('setting.help')} />
      <div className="grid gap-6 md:grid-cols-[150px_minmax(0,880px)]">
        <PanelMenu tab={tab} />
        <PanelFields key={tab} fields={fields} />
      </div>
    </>
  );
}

function PanelMenu({ tab }: { tab: Panel }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <nav aria-label={t('setting.panels')}>
      <Select
        className="md:hidden"
        aria-label={t('setting.panels')}
        value={tab}
        onChange={(event) => void navigate({ href: `/setting?tab=${event.target.value}` })}
      >
        {panels.map((panel) => (
          <option key={panel} value={panel}>
            {t(`setting.panel.${panel}`)}
          </option>
        ))}
      </Select>
      <ul className="sticky top-20 border-l border-line max-md:hidden">
        {panels.map((panel) => (
          <li key={panel}>
            <Link
              to="/setting"
              search={{ tab: panel }}
              aria-current={panel === tab ? 'page' : undefined}
              className={cn(
                '-ml-px flex min-h-8 items-center border-l-2 px-3 py-1 text-sm no-underline',
                panel === tab
                  ? 'border-accent font-semibold text-text'
                  : 'border-transparent text-muted hover:text-text',
              )}
            >
              {t(`setting.panel.${panel}`)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function PanelFields({ fields }: { fields: OptionField[] }) {
  const { t } = useTranslation();
  const settings = useSettings(fields);
  useLeaveGuard(settings.dirty);
  return (
    <div className="grid min-w-0 content-start gap-4">
      {blocksOf(fields).map(([block, own]) => (
        <OptionBlock
          key={block}
          title={t(`setting.block.${block}` as TextKey)}
          fields={own}
          settings={settings}
          actions={block === 'mail' && <MailTest />}
        />
      ))}
    </div>
  );
}
