package pglog

// japanese is PostgreSQL's ja.po.
func japanese() *language {
	return &language{
		name:     "Japanese",
		messages: append(japaneseEnds(), japaneseMessages()...),
		lines:    japaneseVacuum(),
		details: []translation{
			{"失敗したプロセスが実行していました: {1}", "Failed process was running: {1}"},
			{"パラメータ: {1}", "parameters: {1}"},
			{"パラメーター: {1}", "parameters: {1}"},
			{"準備: {1}", "prepare: {1}"},
		},
	}
}

func japaneseMessages() []translation {
	return []translation{
		{"期間: {#1} ミリ秒", "duration: {1} ms"},
		{"期間: {#1} ミリ秒  文: {2}", "duration: {1} ms  statement: {2}"},
		{"期間: {#1} ミリ秒  パース{2} : {3}", "duration: {1} ms  parse {2}: {3}"},
		{"期間: {#1} ミリ秒  バインド {2}: {3}", "duration: {1} ms  bind {2}: {3}"},
		{"期間: {#1} ミリ秒  バインド{2}: {3}", "duration: {1} ms  bind {2}: {3}"},
		{"期間: {#1} ミリ秒  フェッチ実行中 {2}: {3}", "duration: {1} ms  execute fetch from {2}: {3}"},
		{"期間: {#1} ミリ秒  次からのフェッチを実行 {2}: {3}", "duration: {1} ms  execute fetch from {2}: {3}"},
		{"期間: {#1} ミリ秒  実行 {2}: {3}", "duration: {1} ms  execute {2}: {3}"},
		{"期間: {#1} ミリ秒  実行中 {2}: {3}", "duration: {1} ms  execute {2}: {3}"},
		{"文: {1}", "statement: {1}"},
		{"実行 {1}: {2}", "execute {1}: {2}"},
		{"一時ファイル: パス \"{1}\"、サイズ {#2}", `temporary file: path "{1}", size {2}`},
		{"プロセス{#1}は{2}を{3}で待機しています。{#4}ミリ秒後", "process {1} still waiting for {2} on {3} after {4} ms"},
		{"プロセス{#1}は{#2} ms後に{3}上の{4}を獲得しました", "process {1} acquired {4} on {3} after {2} ms"},
		{"デッドロックを検出しました", "deadlock detected"},
		{"チェックポイント開始: {1}", "checkpoint starting: {1}"},
		{"チェックポイント開始:{1}", "checkpoint starting:{1}"},
		{"リスタートポイント開始:{1}", "restartpoint starting:{1}"},
		{"チェックポイント完了: {#1}個のバッファを出力 ({2}%); {3}個のWALファイルを追加、{4}個を削除、{5}個を再利用; " +
			"書き出し={6}秒, 同期={7}秒, 全体={8}秒; {9}",
			"checkpoint complete: wrote {1} buffers ({2}%); {3} WAL file(s) added, {4} removed, {5} recycled; write={6} s, sync={7} s, total={8} s; {9}"},
		{"テーブル\"{1}\"の自動VACUUM: インデックススキャン: {#2}", `automatic vacuum of table "{1}": index scans: {2}`},
		{"テーブル\"{1}\"の自動的な積極的VACUUM: インデックススキャン: {#2}", `automatic aggressive vacuum of table "{1}": index scans: {2}`},
		{"テーブル\"{1}\"の周回防止のための自動VACUUM: インデックススキャン: {#2}", `automatic vacuum to prevent wraparound of table "{1}": index scans: {2}`},
		{"テーブル\"{1}\"に対する自動ANALYZE", `automatic analyze of table "{1}"`},
		{"接続を受け付けました: {1}", "connection received: {1}"},
		{"接続の認証完了: ユーザー={1} データベース={2}", "connection authorized: user={1} database={2}"},
		{"接続を切断: セッション時間: {1} ユーザー={2} データベース={3} ホスト={4}", "disconnection: session time: {1} user={2} database={3} host={4}"},
		{"パラメータ\"{1}\"は\"{2}\"に変更されました", `parameter "{1}" changed to "{2}"`},
		{"SIGHUPを受け取りました。設定ファイルをリロードしています", "received SIGHUP, reloading configuration files"},
		{"データベースシステムの接続受け付け準備が整いました", "database system is ready to accept connections"},
		{"データベースシステム{1}", "database system {1}"},
	}
}

// japaneseVacuum is the lines below the first of an automatic vacuum or analyze.
func japaneseVacuum() []translation {
	return []translation{
		{"ページ: {#1}削除、{#2}残存、{#3}スキャン ({4})", "pages: {1} removed, {2} remain, {3} scanned ({4})"},
		{"タプル: {#1}削除、{#2}残存、{#3}が削除されているがまだ除去できない", "tuples: {1} removed, {2} remain, {3} are dead but not yet removable"},
		{"削除可能限界: {#1}、これは処理完了時には{#2} XID分過去になります", "removable cutoff: {1}, which was {2} XIDs old when operation ended"},
		{"新しいrelfrozenxid: {#1}{2}", "new relfrozenxid: {1}"},
		{"新しいrelminmxid: {#1}{2}", "new relminmxid: {1}"},
		{"インデックススキャンが必要です: テーブル内の{#1}ページ({2})にあった{#3}行の削除行識別子が削除されました",
			"index scan needed: {1} pages from table ({2}) had {3} dead item identifiers removed"},
		{"インデックススキャンは不要です: テーブル内の{#1}ページ({2})にあった{#3}行の削除行識別子が削除されました",
			"index scan not needed: {1} pages from table ({2}) had {3} dead item identifiers removed"},
		{"インデックス\"{1}\": ページ数: 合計{#2}、新規削除{#3}、削除済{#4}、再利用可{#5}",
			`index "{1}": pages: {2} in total, {3} newly deleted, {4} currently deleted, {5} reusable`},
		{"I/O時間: 読み込み: {#1}ミリ秒, 書き込み: {#2}ミリ秒", "I/O timings: read: {1} ms, write: {2} ms"},
		{"平均読み取り速度: {1}", "avg read rate: {1}"},
		{"バッファ使用: {#1}ヒット, {#2}失敗, {#3} ダーティ化", "buffer usage: {1} hits, {2} misses, {3} dirtied"},
		{"WAL使用量: {#1}のレコード, {#2}の全ページイメージ, {#3}バイト", "WAL usage: {1} records, {2} full page images, {3} bytes"},
		{"システム使用状況: CPU: ユーザー: {#1}秒、システム: {#2}秒、経過時間: {#3}秒", "system usage: CPU: user: {1} s, system: {2} s, elapsed: {3} s"},
	}
}

// japaneseEnds is the end of processes, of the server and of statements, and the
// recovery after a crash.
func japaneseEnds() []translation {
	return []translation{
		{"サーバープロセス (PID {#1})はシグナル{#2}で終了しました: {3}", "server process (PID {1}) was terminated by signal {2}: {3}"},
		{"チェックポイントの発生周期が短すぎます({#1}秒間隔)", "checkpoints are occurring too frequently ({1} seconds apart)"},
		{"データベースシステムは正しくシャットダウンされていません; 自動リカバリを実行中", "database system was not properly shut down; automatic recovery in progress"},
		{"データベースシステムは中断されました: {1} まで動作していたことは確認できます", "database system was interrupted; last known up at {1}"},
		{"高速シャットダウン要求を受け取りました", "received fast shutdown request"},
		{"スマートシャットダウン要求を受け取りました", "received smart shutdown request"},
		{"即時シャットダウン要求を受け取りました", "received immediate shutdown request"},
		{"REDOを{1}から開始します", "redo starts at {1}"},
		{"REDOが{1}で終了しました、システム使用状況: {2}", "redo done at {1} system usage: {2}"},
		{"ステートメントのタイムアウトのためステートメントをキャンセルしています", "canceling statement due to statement timeout"},
		{"ユーザーからの要求により文をキャンセルしています", "canceling statement due to user request"},
		{"ロックのタイムアウトのためステートメントをキャンセルしています", "canceling statement due to lock timeout"},
	}
}
