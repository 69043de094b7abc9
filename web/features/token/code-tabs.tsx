import { useState } from 'react';
import { CodeBlock } from '@/components/code-block.tsx';
import { Segmented } from '@/components/ui/segmented.tsx';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { curlSample, environmentSample, nodeSample, pythonSample, type SampleInput } from './code-samples.ts';

type Language = 'python' | 'node';

/** The same call in each way of making it. */
export function CodeTabs({ sample }: { sample: SampleInput }) {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<Language>('python');
  const secret = sample.key !== null;
  return (
    <Tabs defaultValue="openai">
      <TabsList aria-label={t('token.client')} className="mb-4">
        <TabsTrigger value="curl">curl</TabsTrigger>
        <TabsTrigger value="openai">OpenAI SDK</TabsTrigger>
        <TabsTrigger value="environment">{t('token.environment')}</TabsTrigger>
      </TabsList>
      <TabsContent value="curl">
        <CodeBlock code={curlSample(sample)} label="curl" head="Shell" secret={secret} />
      </TabsContent>
      <TabsContent value="openai">
        <CodeBlock
          code={language === 'python' ? pythonSample(sample) : nodeSample(sample)}
          label="OpenAI SDK"
          secret={secret}
          head={
            <Segmented<Language>
              small
              label={t('token.language')}
              value={language}
              onChange={setLanguage}
              className="-ml-1.5"
              options={[
                { value: 'python', label: 'Python' },
                { value: 'node', label: 'Node' },
              ]}
            />
          }
        />
      </TabsContent>
      <TabsContent value="environment">
        <CodeBlock
          code={environmentSample(sample)}
          label={t('token.environment')}
          head="Shell"
          secret={secret}
        />
      </TabsContent>
    </Tabs>
  );
}
