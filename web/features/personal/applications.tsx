/** What applications may do for him, and how to end it. */
import { useConfirm } from '@/components/confirm.tsx';
import { Time } from '@/components/time.tsx';
import { Button } from '@/components/ui/button.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { AllowedApp, SectionProps } from './personal.ts';
import { SectionNote } from './section.tsx';
import { useSaved } from './use-told.ts';

export function ApplicationsSection({ personal: { applications } }: SectionProps) {
  const { t } = useTranslation();
  if (applications.length === 0) {
    return <p className="px-4 py-3 text-sm text-muted">{t('allowed.none')}</p>;
  }
  return (
    <>
      <SectionNote>{t('allowed.help')}</SectionNote>
      <ul aria-label={t('allowed.title')}>
        {applications.map((app) => (
          <ApplicationLine key={app.id} app={app} />
        ))}
      </ul>
    </>
  );
}

function ApplicationLine({ app }: { app: AllowedApp }) {
  const { t } = useTranslation();
  const api = useApi();
  const confirm = useConfirm();
  const saved = useSaved(() => {});
  const { id, name, homepage, may, tokens, created_at, used_at } = app;
  const withdraw = async () => {
    const isDone = await confirm({
      title: t('allowed.withdrawTitle', { name }),
      body: [t('allowed.withdrawBody'), tokens > 0 ? t('allowed.withdrawTokens', { n: tokens }) : '']
        .join(' ')
        .trim(),
      action: t('allowed.withdraw'),
      danger: true,
      work: () => api.send('DELETE', '/api/oauth/grants/:id', { params: { id } }),
    });
    if (isDone) await saved(t('allowed.withdrawn'));
  };
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <div className="min-w-0 flex-1 basis-48">
        <p className="text-sm font-medium break-words">
          {homepage === '' ? (
            name
          ) : (
            <a href={homepage} target="_blank" rel="noreferrer">
              {name}
            </a>
          )}
        </p>
        <ul className="list-disc pl-4 text-sm">
          {may.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        <p className="text-xs text-muted">
          {t('allowed.since')} <Time at={created_at} />
          {' · '}
          {used_at > 0 ? (
            <>
              {t('passkey.used')} <Time at={used_at} relative />
            </>
          ) : (
            t('passkey.neverUsed')
          )}
          {tokens > 0 && <> · {t('allowed.tokens', { n: tokens })}</>}
        </p>
      </div>
      <Button
        variant="danger"
        aria-label={`${t('allowed.withdraw')}: ${name}`}
        onClick={() => void withdraw()}
      >
        {t('allowed.withdraw')}
      </Button>
    </li>
  );
}
