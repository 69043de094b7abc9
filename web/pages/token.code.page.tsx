/** Shows how a program uses a token, and proves it with one call. */
import { TOKEN_STATUS } from '@modules/token/facts.ts';
import { getRouteApi } from '@tanstack/react-router';
import { Code } from 'lucide-react';
import { useState } from 'react';
import { CopyButton } from '@/components/copy-button.tsx';
import { CopyField } from '@/components/copy-field.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerFoot, DrawerHead } from '@/components/ui/dialog.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { revealKey } from '@/features/token/calls.ts';
import { baseUrl, curlSample } from '@/features/token/code-samples.ts';
import { CodeTabs } from '@/features/token/code-tabs.tsx';
import { SampleChoice } from '@/features/token/sample-choice.tsx';
import { SampleKey } from '@/features/token/sample-key.tsx';
import { callableModels, stateOf } from '@/features/token/token.ts';
import { TokenSummary } from '@/features/token/token-summary.tsx';
import { TryButton, TryOutcome, useTry } from '@/features/token/try-it.tsx';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/token/code/$id');

export function TokenCodeDrawer() {
  const { token } = route.useLoaderData();
  // Another token is another sample: the key of the last must not stand in it.
  return <CodeDrawer key={token.id} />;
}

function CodeDrawer() {
  const { t } = useTranslation();
  const { token, models } = route.useLoaderData();
  const { origin, keysShownOnce } = useBoot();
  const api = useApi();
  const close = useCloseDrawer();
  const choices = callableModels(token, models);
  const [model, setModel] = useState(choices[0] ?? '');
  const [streamed, setStreamed] = useState(true);
  const [key, setKey] = useState<string | null>(null);
  const attempt = useTry();
  const isOn = token.status === TOKEN_STATUS.enabled;
  const sample = { origin, model: model || 'gpt-4o', streamed, key };

  return (
    <Dialog open onOpenChange={(open) => !open && close()}>
      <DrawerContent aria-describedby={undefined}>
        <DrawerHead title={t('token.codeTitle')} sub={<TokenSummary token={token} />} />
        <DrawerBody data-form className="group/form" aria-label={t('token.codeTitle')}>
          <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
            <CopyField label={t('token.baseUrl')} value={baseUrl(origin)} />
            <SampleKey token={token} shown={key} onShow={setKey} />
            <SampleChoice
              models={choices}
              model={model}
              onModel={setModel}
              streamed={streamed}
              onStreamed={setStreamed}
            />
            <CodeTabs sample={sample} />
            {!isOn && (
              <Notice tone="warn">{t('token.callsRefused', { state: t(stateOf(token).label) })}</Notice>
            )}
            <TryOutcome attempt={attempt} />
          </div>
        </DrawerBody>
        <DrawerFoot>
          <Button size="lg" className="max-md:hidden" onClick={close}>
            {t('app.close')}
          </Button>
          <span className="ml-auto flex gap-2 max-md:flex-1 max-md:*:flex-1">
            <CopyButton size="lg" text={curlSample(sample)} label={t('token.copyAsCurl')} icon={Code} />
            <TryButton
              attempt={attempt}
              disabled={model === '' || keysShownOnce || !isOn}
              call={{ key: key ?? (() => revealKey(api, token.id)), model, streamed }}
            />
          </span>
        </DrawerFoot>
      </DrawerContent>
    </Dialog>
  );
}
