package pglog

// chinese is PostgreSQL's zh_CN.po.
func chinese() *language {
	return &language{
		name:     "Chinese",
		messages: append(chineseEnds(), chineseMessages()...),
		lines:    chineseVacuum(),
		details: []translation{
			{"失败进程:{1}正在运行", "Failed process was running: {1}"},
			{"参数: {1}", "parameters: {1}"},
			{"预备语句: {1}", "prepare: {1}"},
		},
	}
}

func chineseMessages() []translation {
	return []translation{
		{"耗时: {#1} ms", "duration: {1} ms"},
		{"耗时: {#1} ms  语句: {2}", "duration: {1} ms  statement: {2}"},
		{"耗时: {#1} ms  解析 {2}: {3}", "duration: {1} ms  parse {2}: {3}"},
		{"耗时: {#1} ms  绑定 {2}: {3}", "duration: {1} ms  bind {2}: {3}"},
		{"耗时: {#1} ms  从 {2} 执行获取: {3}", "duration: {1} ms  execute fetch from {2}: {3}"},
		{"耗时: {#1} ms  执行 {2}: {3}", "duration: {1} ms  execute {2}: {3}"},
		{"执行时间: {#1} ms  语句: {2}", "duration: {1} ms  statement: {2}"},
		{"语句: {1}", "statement: {1}"},
		{"执行 {1}: {2}", "execute {1}: {2}"},
		{`临时文件: 路径 "{1}", 大小 {#2}`, `temporary file: path "{1}", size {2}`},
		{"进程 {#1} 等待 {#2} 毫秒后，仍在等待 {3} 上的 {4}", "process {1} still waiting for {4} on {3} after {2} ms"},
		{"进程 {#1} 等待 {#2} 毫秒后已获取 {3} 上的 {4}", "process {1} acquired {4} on {3} after {2} ms"},
		{"检测到死锁", "deadlock detected"},
		{"检查点开始: {1}", "checkpoint starting: {1}"},
		{"检查点开始:{1}", "checkpoint starting:{1}"},
		{"重启点开始:{1}", "restartpoint starting:{1}"},
		{"检查点完成: 写入 {#1} 个缓冲区（{2}%）; 添加 {3} 个 WAL 文件, 删除 {4} 个, 回收 {5} 个; write={6} s, sync={7} s, total={8} s; {9}",
			"checkpoint complete: wrote {1} buffers ({2}%); {3} WAL file(s) added, {4} removed, {5} recycled; write={6} s, sync={7} s, total={8} s; {9}"},
		{`对表 "{1}" 执行的自动清理: 索引扫描次数: {#2}`, `automatic vacuum of table "{1}": index scans: {2}`},
		{`对表 "{1}" 执行的自动激进清理: 索引扫描次数: {#2}`, `automatic aggressive vacuum of table "{1}": index scans: {2}`},
		{`对表 "{1}" 执行的自动分析`, `automatic analyze of table "{1}"`},
		{"已接收到连接: {1}", "connection received: {1}"},
		{"连接已授权: user={1} database={2}", "connection authorized: user={1} database={2}"},
		{"断开连接: 会话时长: {1} user={2} database={3} host={4}", "disconnection: session time: {1} user={2} database={3} host={4}"},
		{`参数 "{1}" 已更改为 "{2}"`, `parameter "{1}" changed to "{2}"`},
		{"收到 SIGHUP，正在重新加载配置文件", "received SIGHUP, reloading configuration files"},
		{"数据库系统已准备好{1}", "database system is ready to accept connections"},
		{"数据库系统{1}", "database system {1}"},
	}
}

// chineseVacuum is the lines below the first of an automatic vacuum or analyze.
func chineseVacuum() []translation {
	return []translation{
		{"页: 已移除 {#1}, 剩余 {#2}, 已扫描 {#3}（{4}）", "pages: {1} removed, {2} remain, {3} scanned ({4})"},
		{"元组: 已移除 {#1}, 剩余 {#2}, 已死但尚不可移除 {#3}", "tuples: {1} removed, {2} remain, {3} are dead but not yet removable"},
		{"可移除截止点: {#1}，操作结束时其年龄为 {#2} 个 XID", "removable cutoff: {1}, which was {2} XIDs old when operation ended"},
		{"新的 relfrozenxid: {#1}{2}", "new relfrozenxid: {1}"},
		{"新的 relminmxid: {#1}{2}", "new relminmxid: {1}"},
		{"需要索引扫描: 表中 {#1} 页（{2}）中的 {#3} 个死项标识符已移除", "index scan needed: {1} pages from table ({2}) had {3} dead item identifiers removed"},
		{"不需要索引扫描: 表中 {#1} 页（{2}）中的 {#3} 个死项标识符已移除", "index scan not needed: {1} pages from table ({2}) had {3} dead item identifiers removed"},
		{`索引 "{1}": 页: 总计 {#2}, 新删除 {#3}, 当前已删除 {#4}, 可复用 {#5}`, `index "{1}": pages: {2} in total, {3} newly deleted, {4} currently deleted, {5} reusable`},
		{"I/O 时间: 读取: {#1} ms, 写入: {#2} ms", "I/O timings: read: {1} ms, write: {2} ms"},
		{"平均读取率: {1}", "avg read rate: {1}"},
		{"缓冲区使用: 命中 {#1}, 未命中 {#2}, 置脏 {#3}", "buffer usage: {1} hits, {2} misses, {3} dirtied"},
		{"WAL 使用: {#1} 条记录, {#2} 个整页镜像, {#3} 字节", "WAL usage: {1} records, {2} full page images, {3} bytes"},
		{"系统资源使用: CPU: 用户: {#1} s, 系统: {#2} s, 已用时间: {#3} s", "system usage: CPU: user: {1} s, system: {2} s, elapsed: {3} s"},
	}
}

// chineseEnds is the end of processes, of the server and of statements, and the
// recovery after a crash.
func chineseEnds() []translation {
	return []translation{
		{"服务器进程 (PID {#1}) 被信号 {#2} 中断: {3}", "server process (PID {1}) was terminated by signal {2}: {3}"},
		{"检查点事件发生过于频繁({#1} 秒间隔)", "checkpoints are occurring too frequently ({1} seconds apart)"},
		{"数据库系统没有正确的关闭; 处于自动恢复状态中", "database system was not properly shut down; automatic recovery in progress"},
		{"数据库系统中断；上一次的启动时间是在{1}", "database system was interrupted; last known up at {1}"},
		{"接收到快速 (fast) 停止请求", "received fast shutdown request"},
		{"接到到智能 (smart) 停止请求", "received smart shutdown request"},
		{"接收到立即 (immediate) 停止请求", "received immediate shutdown request"},
		{"redo 在 {1} 开始", "redo starts at {1}"},
		{"由于语句执行超时，正在取消查询命令", "canceling statement due to statement timeout"},
		{"由于用户请求而正在取消查询", "canceling statement due to user request"},
		{"由于锁超时，取消语句操作", "canceling statement due to lock timeout"},
	}
}
