//! Configuration of the C library's allocator.

/// Returns large allocations to the system when they are freed. Otherwise glibc raises its
/// threshold, up to 32 MiB, with each freed one; the temporary memory of a playlist of 200,000
/// entries, and the 19 MiB of each password hash, would then stay with the process
/// (docs/benchmarks.md#live-tv). Has no effect on other systems.
pub(crate) fn return_large_allocations() {
    /// In bytes: the lists of a playlist are larger, most responses smaller.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    const FROM: libc::c_int = 1024 * 1024;
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "there is no safe wrapper of mallopt")]
    // SAFETY: mallopt only reads its two numbers, and locks the state that it changes. A failure
    // changes nothing.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, FROM);
    }
}
